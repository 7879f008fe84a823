package stripe

import "worlds/twin"

func contest(tx *twin.Tx, ch *Charge) {}

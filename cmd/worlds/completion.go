package main

import (
	"fmt"
	"os"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// The scripts let the program itself complete: it sees COMP_LINE and answers.
const (
	bashCompletion = "complete -C %[1]q worlds\n"
	zshCompletion  = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion
	fishCompletion = `function __complete_worlds
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %[1]q
end
complete -f -c worlds -a "(__complete_worlds)"
`
)

// Run prints the script for a shell; its help says where it goes.
func (c *completionCmd) Run(t *terminal) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err = fmt.Fprintf(t.out, script, program)
	return err
}

// Help is the long help of the verb.
func (*completionCmd) Help() string {
	return "Put this in the start-up file of your shell: " +
		`source <(worlds completion bash) in ~/.bashrc, source <(worlds completion zsh) in ~/.zshrc, ` +
		"worlds completion fish | source in ~/.config/fish/config.fish."
}

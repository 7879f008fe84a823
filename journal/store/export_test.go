package store

// SyncData is what Append's writes are made durable with.
var SyncData = syncData

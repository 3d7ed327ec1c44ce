// When SQLite reports a transaction as committed: `FULL` is when the disk has stored it. Tests do not wait for the disk, because
// nothing of theirs outlives the machine.
export interface Durability {
  synchronous: 'FULL' | 'OFF'
}

export const durability: Durability = { synchronous: 'FULL' }

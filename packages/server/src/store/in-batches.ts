// Deletes many rows in small statements: on SQLite, everybody else who writes waits for a statement to end.

export const deletedAtOnce = 1_000

/** Calls `deleteSome`, which deletes at most `deletedAtOnce` rows, until there are no more. */
export async function deleteInBatches(deleteSome: () => Promise<{ numDeletedRows: bigint }>): Promise<void> {
  while ((await deleteSome()).numDeletedRows >= BigInt(deletedAtOnce));
}

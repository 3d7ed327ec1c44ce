// The error of a commit whose outcome is not known.

/** The connection broke during the commit, so the database may have the data or not. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection to the database broke during the commit.', { cause })
    this.name = 'CommitUnknown'
  }
}

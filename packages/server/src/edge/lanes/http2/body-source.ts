// Where the body of an answer comes from, if it is not in memory when the answer begins.

export interface BodySource {
  /** The header block, and whether the date is in it. `undefined` if the answer had it from the start. */
  readonly block: { readonly bytes: Buffer; readonly hasDate: boolean } | undefined
  /** Whether the answer may begin. */
  readonly isOpen: boolean
  /** Whether nothing more comes, although the body is not complete, and all that came was taken. */
  readonly hasFailed: boolean
  /** Whether nothing comes besides `available`. Only for a body whose length is not known from the start. */
  readonly isEnded: boolean
  /** The header block of the trailers, once the body has ended. */
  readonly trailers: Buffer | undefined
  /** How many bytes can be taken now. */
  readonly available: number
  /** Whether what is missing comes soon. The answer of an app may come at any time, or never. */
  readonly isSoon: boolean
  /** Whether the client may send the request again if the source fails before the answer begins. */
  readonly mayRepeat: boolean
  /** Begins to read more. To be called when nothing is available. */
  readMore(): void
  /** Copies the next `length` bytes, which must be available. */
  take(into: Buffer, at: number, length: number): void
  close(): void
}

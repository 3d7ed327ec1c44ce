// Copies a substring. V8 keeps the whole string (here: the head of a request) in memory as long as a slice of it lives.
export const detached = (piece: string): string => Buffer.from(piece, 'latin1').toString('latin1')

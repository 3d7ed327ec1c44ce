// A copy of a piece of a request's head. The piece itself would keep the whole head in memory for as long as it lives.
export const detached = (piece: string): string => Buffer.from(piece, 'latin1').toString('latin1')

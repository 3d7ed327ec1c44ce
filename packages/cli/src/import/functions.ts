// Messages about functions, for both platforms.

export const moveFunctions =
  "Serve these paths from a server app instead: a program that listens on PORT, started by a Procfile ('web: node server.js')."

const mostListed = 5

/** `a, b and 3 more` */
export const listed = (names: readonly string[]): string =>
  names.slice(0, mostListed).join(', ') +
  (names.length > mostListed ? ` and ${names.length - mostListed} more` : '')

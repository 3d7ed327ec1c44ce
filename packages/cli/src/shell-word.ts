// Quotes words of the commands that are shown to copy. Names in them may come from strangers.

/** The text as one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w./@:+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

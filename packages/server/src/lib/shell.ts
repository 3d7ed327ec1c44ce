// Quotes text as one word of a shell command.
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

// Text as one word of a shell's command line.
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

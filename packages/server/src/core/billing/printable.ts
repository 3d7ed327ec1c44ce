// The characters that the font of invoices has: Latin, Greek and Cyrillic letters, digits, punctuation and currency signs.
const unprintable =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Mn}\u0020-\u007e\u00a0-\u00bf×÷\u2010-\u2027\u2030-\u205e\u20a0-\u20bf−№™]/gu

export const isPrintable = (text: string): boolean => text.search(unprintable) < 0

export const printable = (text: string): string => text.normalize('NFC').replace(unprintable, '?')

// The docs link to each other with paths that mean nothing in the dashboard.

/** Keeps the words of the links of a Markdown text. */
export function withoutLinks(markdown: string): string {
  const [before = '', ...rest] = markdown.split('[')
  return before + rest.map(unlinked).join('')
}

/** `text` begins with the words of a link, if it is one. */
function unlinked(text: string): string {
  const middle = text.indexOf('](')
  const end = text.indexOf(')', middle)
  return middle < 0 || end < 0 ? `[${text}` : text.slice(0, middle) + text.slice(end + 1)
}

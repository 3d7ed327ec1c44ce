// Checks an existing `_redirects` file. Its lines work here as on Netlify, except for the kinds in this table.
import type { Findings } from './findings.ts'

interface Kind {
  pattern: RegExp
  problem: string
}

const kinds: readonly Kind[] = [
  {
    pattern: /\s\/\.netlify\//i,
    problem: 'leads to a function or a service of Netlify, and none runs here. Visitors get a missing page.',
  },
  {
    pattern: /\s(?:country|language|role|cookie|sign)=/i,
    problem: 'has a condition on the visitor, which is not supported. It is ignored.',
  },
  {
    pattern: /\shttps?:\/\/\S+\s+200!?\s*$/i,
    problem: 'shows another site, and this platform proxies none. It is ignored.',
  },
]

const mostLines = 10_000

export function checkExistingRedirects(path: string, text: string, findings: Findings): void {
  for (const [i, line] of text.split('\n', mostLines).entries()) {
    const words = line.slice(0, 2_000).trim()
    if (words === '' || words.startsWith('#')) continue
    const kind = kinds.find(({ pattern }) => pattern.test(words))
    if (kind) findings.warn(`${path} line ${i + 1}`, `The rule ${kind.problem}`)
  }
}

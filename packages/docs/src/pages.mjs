// Which pages the site has, in which order: those that docs/README.md links to.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Pages outside of docs/, whose file names alone would not tell what they are. */
const namesOutside = {
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'report-a-vulnerability',
  'CONTRIBUTING.md': 'contributing',
  'bench/README.md': 'measurements',
}

/** The URL path of a file of the repository, or undefined if the site does not show it. */
export function pathOf(file) {
  if (file === 'docs/README.md') return '/'
  const name = file.startsWith('docs/') ? file.slice('docs/'.length, -'.md'.length) : namesOutside[file]
  return name && file.endsWith('.md') ? `/${name}` : undefined
}

/** What people ask, from the table at the top of the index: `{ question, targets }`, with the targets as that file has them. */
export function readQuestions(root) {
  return readFileSync(join(root, 'docs/README.md'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('| ') && line.includes(']('))
    .map(line => {
      const [, question = '', answer = ''] = line.split('|')
      return { question, targets: [...answer.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target) }
    })
}

/** The groups of the index, each with its pages: `{ title, pages: [{ file, path, title }] }`. */
export function readGroups(root) {
  const groups = []
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) groups.push({ title: line.slice(3), pages: [] })
    const [, title, target] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? []
    if (!target) continue
    const file = posix.join('docs', target)
    groups.at(-1).pages.push({ file, path: pathOf(file), title })
  }
  return groups
}

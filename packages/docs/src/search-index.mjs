// Makes the index that the search of the site reads. site/find.js explains its form.
import { wordsOf } from '../site/words.js'

/** What users call things, and what the docs call them. */
const synonyms = {
  apex: ['bare'],
  custom: ['own'],
  root: ['bare'],
  secret: ['variable'],
  environment: ['variable'],
  env: ['variable'],
  ssl: ['certificate'],
  http: ['certificate'],
  update: ['upgrade'],
  pipeline: ['ci'],
  rewrite: ['redirect'],
  schedule: ['cron'],
  cron: ['scheduled'],
  rollback: ['roll'],
  revert: ['roll'],
  undo: ['roll'],
  spa: ['single'],
  delete: ['deleting'],
  rename: ['renaming'],
  protect: ['access'],
  protection: ['access'],
  migration: ['release'],
  quickstart: ['started'],
  begin: ['started'],
  pricing: ['plan'],
  price: ['plan'],
  serverless: ['server'],
  function: ['server'],
  volume: ['disk'],
  postgre: ['database'],
  sql: ['database'],
  directory: ['folder'],
  subdirectory: ['monorepo'],
  workspace: ['org', 'monorepo'],
  pr: ['preview'],
  staging: ['preview'],
  member: ['invite'],
  webhook: ['notification'],
  alert: ['notification'],
  '2fa': ['authenticator'],
  mfa: ['authenticator'],
  factor: ['authenticator'],
  console: ['run'],
  ssh: ['run'],
  shell: ['run'],
}

/**
 * `weightOf(path)` says how likely a page is what somebody looks for, `isTextFound(path)` whether more than its headings is found,
 * and `questions` maps the URL of a section to the questions that it answers.
 */
export function makeIndex(pages, { weightOf, isTextFound, questions }) {
  const sections = []
  const found = new Map()
  pages.forEach(({ path, sections: own }, page) => {
    for (const { heading, anchor, text } of own) {
      const question = questions.get(anchor ? `${path}#${anchor}` : path)
      const number = sections.push([page, anchor, heading, ...(question ? [tellingWords(question)] : [])]) - 1
      for (const [word, share] of sharesOf(isTextFound(path) ? text : ''))
        found.set(word, [...(found.get(word) ?? []), { number, share }])
    }
  })
  // A word of every third section finds nothing in particular.
  const telling = [...found].filter(([, list]) => list.length < sections.length / 3)
  return {
    pages: pages.map(({ path, title }) => [path, title, weightOf(path)]),
    sections,
    words: Object.fromEntries(telling.toSorted().map(([word, list]) => [word, writeList(list)])),
    synonyms,
  }
}

const usualLength = 120

/** The words of a section, each with how much the section is about it: BM25's weight of a term, from 0 to 1. */
function sharesOf(text) {
  const words = wordsOf(text).filter(isWorthy)
  const counts = new Map()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const lengthening = 1.2 * (0.25 + (0.75 * words.length) / usualLength)
  return [...counts].map(([word, count]) => [word, count / (count + lengthening)])
}

const fillers = new Set('or my and the at to it in of for as such with without when own'.split(' '))

const tellingWords = text => [...new Set(wordsOf(text))].filter(word => !fillers.has(word)).join(' ')

const isWorthy = word => word.length > 1 && word.length < 40 && !/^\d+$/.test(word)

const writeList = list =>
  list
    .map(({ number, share }, at) => {
      const step = number - (at > 0 ? list[at - 1].number : 0)
      return step.toString(36) + '+'.repeat(share > 0.7 ? 2 : share > 0.45 ? 1 : 0)
    })
    .join(' ')

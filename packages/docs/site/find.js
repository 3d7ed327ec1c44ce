// Finds the sections of the docs that a query is about, in an index made at build time.
import { wordsOf } from './words.js'

/**
 * The index: `pages` are [path, title, weight], `sections` are [number of the page, anchor, heading,
 * words of the questions that it answers, if it answers one], `words` maps each word of the
 * texts to the sections that have it: numbers in base 36, each as its distance from the one before, and how much of the
 * section is about the word: nothing, + or ++.
 */
export function findSections({ pages, sections, words, synonyms }, query, atMost = 8) {
  const scores = new Float64Array(sections.length)
  const hits = new Uint8Array(sections.length)
  const asked = [...new Set(wordsOf(query))]
  for (const word of asked)
    for (const [section, gain] of gainsOf(word, { pages, sections, words, synonyms })) {
      scores[section] += gain
      hits[section] += 1
    }
  // A section with all words of the query comes before one with some of them.
  const scoreOf = (section, number) =>
    scores[number] * pages[section[0]][2] * weightOf(section) * (hits[number] / asked.length) ** 2
  return sections
    .map((section, number) => ({ section, score: scoreOf(section, number) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, atMost)
    .map(({ section: [page, anchor, heading] }) => {
      const [path, title] = pages[page]
      return { href: anchor ? `${path}#${anchor}` : path, title, heading }
    })
}

/** The beginning of a page comes before its parts. What a heading says is for operators is for few of those who search. */
const weightOf = ([, anchor, heading]) => (heading.startsWith('For operators') ? 0.5 : anchor ? 1 : 1.4)

/** What a word of the query adds to the score of each section: most in its heading and
 * its question, less in the page's title and the text. */
function gainsOf(word, { pages, sections, words, synonyms }) {
  const gains = new Map()
  const add = (section, gain) => gains.set(section, (gains.get(section) ?? 0) + gain)
  for (const wanted of [word, ...(synonyms[word] ?? [])]) {
    sections.forEach(([page, , heading, questions = ''], section) => {
      const gain =
        6 * closest(wordsOf(heading), wanted) +
        6 * closest(wordsOf(questions), wanted) +
        5 * closest(wordsOf(pages[page][1]), wanted)
      if (gain > 0) add(section, gain)
    })
    for (const [known, list] of Object.entries(words)) {
      if (!known.startsWith(wanted)) continue
      const found = readList(list)
      const rarity = Math.log(1 + sections.length / found.length) * closest([known], wanted)
      for (const { section, share } of found) add(section, rarity * share)
    }
  }
  return gains
}

/** 1 if a word is the wanted one, less if it begins like it. */
const closest = (words, wanted) =>
  Math.max(0, ...words.map(word => (word === wanted ? 1 : word.startsWith(wanted) ? 0.4 : 0)))

function readList(list) {
  let section = 0
  return list.split(' ').map(step => {
    const [number = '', ...marks] = step.split('+')
    section += Number.parseInt(number, 36)
    return { section, share: 0.4 + 0.3 * marks.length }
  })
}

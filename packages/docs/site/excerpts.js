// The text around the words that a search found. It is read from the page itself, which is small, and which the reader may open next.
import { wordsOf } from './words.js'

const around = 160

/** Cuts a text to the part that has most of the words. Returns its pieces; `isFound` marks a word of the query. */
export function excerptOf(text, query, length = around) {
  const asked = wordsOf(query)
  const tokens = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_]*/gu)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
    found: asked.find(wanted => wordsOf(word)[0]?.startsWith(wanted)),
  }))
  const hits = tokens.filter(({ found }) => found !== undefined)
  if (hits.length === 0) return []
  const starts = hits.map(hit => ({ hit, score: new Set(foundFrom(hits, hit, length)).size }))
  const { hit } = starts.reduce((best, other) => (other.score > best.score ? other : best))
  const from = tokens.find(({ from: at }) => at >= hit.from - length / 4)?.from ?? 0
  const to = tokens.findLast(({ to: at }) => at <= from + length)?.to ?? text.length
  return piecesOf(text, { from, to: Math.max(to, hit.to) }, hits)
}

const foundFrom = (hits, { from }, length) =>
  hits.filter(hit => hit.from >= from && hit.to <= from + (length * 3) / 4).map(({ found }) => found)

function piecesOf(text, { from, to }, hits) {
  const pieces = [{ text: from > 0 ? '… ' : '' }]
  let at = from
  for (const hit of hits.filter(one => one.from >= from && one.to <= to)) {
    pieces.push({ text: text.slice(at, hit.from) }, { text: text.slice(hit.from, hit.to), isFound: true })
    at = hit.to
  }
  pieces.push({ text: text.slice(at, to) + (to < text.length ? ' …' : '') })
  return pieces.filter(piece => piece.text !== '')
}

const pages = new Map()

/** The text of a section, up to the next heading. Empty if the page cannot be read. */
export async function textOf(href) {
  const [path, anchor] = href.split('#')
  if (!pages.has(path)) pages.set(path, loadPage(path))
  const page = await pages.get(path)
  if (!page) return ''
  const heading = anchor
    ? page.getElementById(anchor)?.closest('h1, h2, h3, h4')
    : page.querySelector('main h1')
  const texts = []
  for (
    let next = heading?.nextElementSibling;
    next && !/^H[1-6]$/.test(next.tagName);
    next = next.nextElementSibling
  )
    texts.push(next.textContent)
  return texts.join(' ').replace(/\s+/g, ' ').trim()
}

async function loadPage(path) {
  try {
    const answer = await fetch(path)
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    // Without its page, a result is shown without an excerpt. The next search asks again.
    pages.delete(path)
    return undefined
  }
}

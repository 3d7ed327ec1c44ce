// The search field, the theme and the menu of small screens. Without scripts, the pages and their links still work.
import { excerptOf, textOf } from './excerpts.js'
import { findSections } from './find.js'

const field = document.querySelector('#search')
const results = document.querySelector('#results')
const indexUrl = document.querySelector('script[data-index]').dataset.index

field.hidden = false
let index
const load = () => (index ??= fetch(indexUrl).then(answer => answer.json()))
field.addEventListener('focus', () => load().catch(() => (index = undefined)))
field.addEventListener('input', show)

async function show() {
  const query = field.value.trim()
  if (query === '') return results.replaceChildren()
  let found
  try {
    found = findSections(await load(), query)
  } catch {
    index = undefined
    return results.replaceChildren(paragraph("The search index didn't load. Type again to retry."))
  }
  // Another letter was typed while the index loaded.
  if (field.value.trim() !== query) return
  if (found.length === 0) return results.replaceChildren(paragraph(`Nothing about “${query}”.`))
  const list = document.createElement('ul')
  list.append(...found.map(entry))
  results.replaceChildren(list)
  setTimeout(() => list.isConnected && addExcerpts(list, query), excerptsAfterMs)
}

/** Pages are read for the results of a query, not for each letter of it. */
const excerptsAfterMs = 200

async function addExcerpts(list, query) {
  for (const link of list.querySelectorAll('a')) {
    const pieces = excerptOf(await textOf(link.getAttribute('href')), query)
    if (!list.isConnected) return
    if (pieces.length > 0) link.append(excerpt(pieces))
  }
}

function excerpt(pieces) {
  const made = document.createElement('span')
  made.className = 'excerpt'
  for (const { text, isFound } of pieces) {
    const piece = isFound ? document.createElement('mark') : document.createTextNode('')
    piece.textContent = text
    made.append(piece)
  }
  return made
}

function entry({ href, title, heading }) {
  const link = document.createElement('a')
  link.href = href
  const where = document.createElement('small')
  where.textContent = title === heading ? '' : title
  link.append(heading, where)
  const item = document.createElement('li')
  item.append(link)
  return item
}

function paragraph(text) {
  const made = document.createElement('p')
  made.textContent = text
  return made
}

const close = () => results.replaceChildren()

document.addEventListener('keydown', event => {
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === '/' && document.activeElement === document.body) {
    event.preventDefault()
    field.focus()
  } else if (event.key === 'Escape' && links.length > 0) {
    close()
    field.focus()
  } else if (event.key === 'Enter' && document.activeElement === field) links[0]?.click()
  else if (
    (event.key === 'ArrowDown' || event.key === 'ArrowUp') &&
    (at >= 0 || document.activeElement === field)
  ) {
    event.preventDefault()
    const next = at + (event.key === 'ArrowDown' ? 1 : -1)
    ;(links[next] ?? (next < 0 ? field : links.at(-1)))?.focus()
  }
})
results.addEventListener('click', close)
document.addEventListener('pointerdown', event => {
  if (!event.target.closest('search')) close()
})

const root = document.documentElement
const theme = document.querySelector('#theme')
theme.hidden = false
theme.addEventListener('click', () => {
  const isDark =
    getComputedStyle(root).colorScheme === 'dark' ||
    (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = isDark ? 'light' : 'dark'
  try {
    localStorage.setItem('svc.theme', root.dataset.theme)
  } catch {
    // Storage is blocked: the choice lasts for this page.
  }
})

for (const block of document.querySelectorAll('main pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select the text to copy it'),
    )
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}

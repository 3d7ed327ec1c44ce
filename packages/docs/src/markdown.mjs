// A page of docs/ as HTML: links lead to pages of the site, headings have the anchors that GitHub gives them.
import { posix } from 'node:path'
import { Marked } from 'marked'
import { escapeHtml } from './layout.mjs'
import { pathOf } from './pages.mjs'

/**
 * Reads a file: its title, its HTML, its headings, and its sections for the search. `hasPage` tells whether the site has
 * the page of a path; a link to anything else becomes plain text. `urlOf` answers the URL of a picture of docs/.
 */
export function renderMarkdown(file, text, { hasPage, urlOf }) {
  const headings = []
  const marked = new Marked({ renderer: renderer(file, { hasPage, urlOf }, headings) })
  const html = marked.parse(text)
  return { title: headings[0]?.text ?? file, html, headings, sections: sectionsOf(marked, text) }
}

/** The size of the pictures in docs/pictures/, so that text does not jump when they arrive. */
const pictureSize = 'width="1000" height="640" loading="lazy"'

function renderer(file, { hasPage, urlOf }, headings) {
  return {
    heading({ tokens, depth }) {
      const text = plainText(tokens)
      const anchor = anchorOf(text)
      headings.push({ depth, text, anchor })
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1>${inner}</h1>\n`
      return `<h${depth} id="${anchor}"><a href="#${anchor}">${inner}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      const target = linkOf(file, href, hasPage)
      return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
    },
    image({ href, text }) {
      const size = href.startsWith('pictures/') ? ` ${pictureSize}` : ''
      return `<img src="${escapeHtml(urlOf(href))}" alt="${escapeHtml(text)}"${size}>`
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table(token) {
      const cell = (kind, { tokens, text }) => {
        // A table needs no header above its names.
        const tag = text ? kind : 'td'
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
      }
      const row = (tag, cells) => `<tr>${cells.map(each => cell(tag, each)).join('')}</tr>\n`
      const head = token.header.some(({ text }) => text) ? `<thead>${row('th', token.header)}</thead>` : ''
      const body = token.rows.map(cells => row('td', cells)).join('')
      return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
    },
    // Docs hold no HTML. What looks like it is text.
    html: ({ text }) => escapeHtml(text),
  }
}

/** Where a link of a file leads on the site, or undefined if the site does not have it. */
export function linkOf(file, href, hasPage) {
  if (href.startsWith('https://') || href.startsWith('#')) return href
  const [target = '', anchor] = href.split('#')
  const path = pathOf(posix.join(posix.dirname(file), target))
  if (path === undefined || !hasPage(path)) return undefined
  return anchor ? `${path}#${anchor}` : path
}

/** Same rule as GitHub, and as the test of the links in docs/. */
const anchorOf = heading =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** The text below each heading. The first section is the page itself. */
function sectionsOf(marked, text) {
  const sections = []
  for (const token of marked.lexer(text)) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens)
      sections.push({ heading, anchor: sections.length > 0 ? anchorOf(heading) : '', text: '' })
    } else if (sections.length > 0) sections.at(-1).text += ` ${token.raw}`
  }
  return sections
}

const plainText = tokens =>
  tokens.map(({ tokens: inner, text }) => (inner ? plainText(inner) : text)).join('')

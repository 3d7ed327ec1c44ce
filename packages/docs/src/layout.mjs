// The HTML around every page: the search, the list of pages, the version of the platform.
// svcd replaces what stands between two @ signs when it serves a page: it knows its version and its addresses.

export const escapeHtml = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)

const mark =
  '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8.5 17.5 16 10l7.5 7.5M11 23h10"/></svg>'

/** `groups` is the list of pages, `assets` are the URLs of style and script. */
export function layOut({ path, title, body, headings = [] }, groups, assets) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)} · svc docs</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script type="module" src="${assets.script}" data-index="${assets.index}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="home" href="/" aria-label="svc docs">${mark}<span>svc docs</span></a>
<search><input id="search" type="search" placeholder="Search" aria-label="Search the docs" autocomplete="off" spellcheck="false" hidden><div id="results" role="status"></div></search>
<a class="out" href="@dashboard@">Dashboard</a>
<button id="theme" type="button" aria-label="Switch between light and dark" hidden>◐</button>
</header>
<div class="frame">
<details class="menu"><summary>All pages</summary></details>
<nav aria-label="Pages">${groups.map(group => groupOf(group, path, headings)).join('\n')}</nav>
<main id="main" tabindex="-1">
${body}
<footer>svc @version@ · <a href="/changelog">Changelog</a> · <a href="@api@/openapi.json">openapi.json</a></footer>
</main>
</div>
</body>
</html>
`
}

/** The pages below another one, such as /api, are listed on these pages only. */
function isListed(page, path) {
  const [, above, below] = page.path.split('/')
  return below === undefined || path.split('/')[1] === above
}

const groupOf = ({ title, pages }, path, headings) => `<h2>${escapeHtml(title)}</h2>
<ul>${pages
  .filter(page => isListed(page, path))
  .map(page => entryOf(page, path, headings))
  .join('')}</ul>`

function entryOf(page, path, headings) {
  const isCurrent = page.path === path
  const inside = isCurrent ? headings.filter(({ depth }) => depth === 2) : []
  const below = inside.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
  const current = isCurrent ? ' aria-current="page"' : ''
  const list = below.length > 1 ? `<ul class="inside">${below.join('')}</ul>` : ''
  return `<li><a href="${page.path}"${current}>${escapeHtml(page.title.replace('API: ', ''))}</a>${list}</li>`
}

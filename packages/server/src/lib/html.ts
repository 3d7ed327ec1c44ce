// HTML pages of the platform itself: their common style (the dashboard's colours and fonts), and the headers that they are
// sent with. They have no scripts and load nothing.
import { createHash } from 'node:crypto'

/** The dashboard's design tokens (dashboard/src/styles/tokens.css) that small pages need. */
const tokens = [
  '--paper:light-dark(#faf9f7,#121211)',
  '--surface:light-dark(#fff,#1a1918)',
  '--hover:light-dark(#f1f0ec,#211f1e)',
  '--line:light-dark(#e8e6e1,#2c2a28)',
  '--line-strong:light-dark(#d5d2cb,#403d3a)',
  '--ink:light-dark(#1b1a18,#efeeea)',
  '--ink-hover:light-dark(#3a3834,#fff)',
  '--soft:light-dark(#55524c,#b1ada5)',
  '--faint:light-dark(#6c6962,#938f87)',
  '--on-ink:light-dark(#fff,#151413)',
  '--accent:light-dark(#bf3f0d,#ff8a58)',
  '--accent-wash:light-dark(#fdf2ec,#2a1a13)',
  '--green:light-dark(#14713d,#55c784)',
  '--green-wash:light-dark(#e7f5ec,#12261a)',
  '--red:light-dark(#b3202f,#ff8087)',
  '--red-wash:light-dark(#fdecee,#2c1517)',
].join(';')

const base = `:root{color-scheme:light dark;${tokens}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 -apple-system,"Segoe UI Variable Text","Segoe UI",Inter,Roboto,Cantarell,"Noto Sans","Helvetica Neue",Arial,sans-serif;-webkit-font-smoothing:antialiased}
h1{margin:1.25rem 0 0;font-size:1.5rem;line-height:1.25;letter-spacing:-.022em}
p{margin:.5rem 0 0;color:var(--soft);overflow-wrap:anywhere}
`

/** For pages with a short text in the middle. */
export const centred = `body{min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1.25rem 5rem}
main{width:100%;max-width:26rem}
`

interface PageStyle {
  css: string
  /** The Content-Security-Policy of pages with this style. */
  policy: string
}

interface Allowed {
  /** Where the forms of the page may be sent. */
  formAction?: "'none'" | "'self'"
  /** Which sites may show the page in a frame. */
  frameAncestors?: "'none'" | "'self'" | '*'
}

export function pageStyle(
  parts: readonly string[],
  { formAction = "'none'", frameAncestors = "'none'" }: Allowed = {},
): PageStyle {
  const css = base + parts.join('')
  const source = `'sha256-${createHash('sha256').update(css).digest('base64')}'`
  const policy = `default-src 'none'; style-src ${source}; base-uri 'none'; form-action ${formAction}; frame-ancestors ${frameAncestors}`
  return { css, policy }
}

/** A whole document. The title is plain text, the body is HTML. */
export const writePage = (title: string, { css }: PageStyle, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${css}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

export const htmlType = 'text/html; charset=utf-8'

/** The headers of every answer that the platform writes itself. A page has a policy. */
export const platformHeaders = (type: string, body: string, policy?: string): Record<string, string> => ({
  'Content-Type': type,
  'Content-Length': String(Buffer.byteLength(body)),
  'X-Content-Type-Options': 'nosniff',
  ...(policy !== undefined && { 'Content-Security-Policy': policy }),
})

/** A page, and the headers to send it with. */
export function renderPage(
  title: string,
  style: PageStyle,
  body: string,
): { html: string; headers: Record<string, string> } {
  const html = writePage(title, style, body)
  return { html, headers: platformHeaders(htmlType, html, style.policy) }
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)

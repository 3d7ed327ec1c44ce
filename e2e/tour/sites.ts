// The files of the made-up sites.

/** A small site of three pages. */
export function sampleSite(headline: string, colour: string): Record<string, string> {
  const page = (title: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="/styles.css">
<nav><a href="/">Home</a> <a href="/menu.html">Menu</a> <a href="/about.html">About</a></nav>
<h1>${title}</h1><p>Small batches, two kinds of beans, one oven. Come by, or let us send a bag.</p></html>
`
  return {
    'index.html': page(headline),
    'menu.html': page('Menu'),
    'about.html': page('About us'),
    'styles.css': `body { margin: 0; padding: 8vw; font: 20px/1.6 sans-serif; background: ${colour}; color: white }
a { color: inherit } h1 { font-size: 64px; line-height: 1.1 }
`,
  }
}

/** An app that logs each request, as apps do. */
export const serverApp: Record<string, string> = {
  Procfile: 'web: node app.cjs',
  'app.cjs': `
require('node:http').createServer((req, res) => {
  if (req.url === '/fail') { console.error('Error: no such order: 4711'); res.statusCode = 500 }
  else console.log(JSON.stringify({ level: 'info', msg: 'request', method: req.method, path: req.url }))
  res.setHeader('content-type', 'text/html')
  res.end('<!doctype html><title>Shop</title><h1>Shop</h1>')
}).listen(process.env.PORT, process.env.HOSTNAME, () => console.log('Listening on ' + process.env.PORT))
`,
}

// One repository for each generator and language whose program is not a package of npm. They need the programs on the machine.
const python = `import http.server, os
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == '/' else 404)
        self.end_headers()
        self.wfile.write(b'hello from Python')
http.server.HTTPServer((os.environ['HOSTNAME'], int(os.environ['PORT'])), Answers).serve_forever()
`
const go = `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "hello from Go")
	})
	http.ListenAndServe(os.Getenv("HOSTNAME")+":"+os.Getenv("PORT"), nil)
}
`
const answers = name => `({ url }) =>
  new URL(url).pathname === '/' ? new Response('hello from ${name}') : new Response('nothing here', { status: 404 })`

export const programs = {
  hugo: {
    is: 'static',
    files: {
      'hugo.toml': "baseURL = 'https://example.com/'\ntitle = 'Shop'\n",
      'layouts/index.html': '<h1>{{ .Site.Title }}</h1>{{ .Content }}',
      'content/_index.md': 'hello from *Hugo*\n',
    },
    pages: { '/': 'hello from <em>Hugo</em>' },
  },
  jekyll: {
    is: 'static',
    files: {
      '_config.yml': 'title: Shop\n',
      '_layouts/page.html': '<h1>{{ site.title }}</h1>{{ content }}',
      'index.html': '---\nlayout: page\n---\n<p>hello from Jekyll</p>',
    },
    pages: { '/': 'hello from Jekyll' },
  },
  mkdocs: {
    is: 'static',
    files: { 'mkdocs.yml': 'site_name: Shop\n', 'docs/index.md': 'hello from MkDocs\n' },
    pages: { '/': 'hello from MkDocs' },
  },
  python: {
    is: 'Procfile',
    files: { 'main.py': python },
    pages: { '/': 'hello from Python' },
    hidden: ['/main.py'],
  },
  go: {
    is: 'Procfile',
    files: { 'go.mod': 'module example.com/shop\n\ngo 1.19\n', 'main.go': go },
    pages: { '/': 'hello from Go' },
    hidden: ['/main.go'],
  },
  deno: {
    is: 'Procfile',
    files: { 'deno.json': '{}\n', 'main.ts': `export default { fetch: ${answers('Deno')} }\n` },
    pages: { '/': 'hello from Deno' },
    hidden: ['/main.ts'],
  },
  bun: {
    is: 'Node.js',
    manager: 'bun',
    packages: ['nanoid@5'],
    scripts: { start: 'bun server.ts' },
    files: {
      'server.ts': `import { nanoid } from 'nanoid'
console.log(nanoid())
const { PORT: port, HOSTNAME: hostname } = process.env
Bun.serve({ port, hostname, fetch: ${answers('Bun')} })\n`,
    },
    pages: { '/': 'hello from Bun' },
    hidden: ['/server.ts'],
  },
}

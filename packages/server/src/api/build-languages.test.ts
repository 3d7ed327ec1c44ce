// Pushes of apps in other languages. Where the machine has their programs, they are built and run in the sandbox; elsewhere the
// build says what is missing.
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

const python = `
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('content-length', '11')
        self.end_headers()
        self.wfile.write(b'from Python')

HTTPServer((os.environ['HOSTNAME'], int(os.environ['PORT'])), Handler).serve_forever()
`
// Compiling net/http would take minutes on a small machine.
const go = `package main

import (
	"net"
	"os"
)

func main() {
	listener, _ := net.Listen("tcp", os.Getenv("HOSTNAME")+":"+os.Getenv("PORT"))
	for {
		if visitor, err := listener.Accept(); err == nil {
			visitor.Read(make([]byte, 4096))
			visitor.Write([]byte("HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\nConnection: close\\r\\n\\r\\nfrom Go"))
			visitor.Close()
		}
	}
}
`
const deno = `Deno.serve({ hostname: Deno.env.get('HOSTNAME'), port: Number(Deno.env.get('PORT')) }, () => new Response('from Deno'))`

/** The programs that builds find. */
const path = '/usr/local/bin:/usr/bin:/bin'
const runs = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { env: { PATH: path, HOME: '/tmp' } }).status === 0

onEveryServer(server => {
  it.each<[string, boolean, Record<string, string>, string]>([
    [
      'Python',
      runs('python3', '-c', 'import pip'),
      { 'requirements.txt': '# none\n', 'main.py': python },
      'python3 with pip',
    ],
    ['Python without packages', runs('python3', '--version'), { 'app.py': python }, 'python3 with pip'],
    [
      'Go',
      runs('go', 'version'),
      { 'go.mod': 'module example.com/shop\n\ngo 1.18\n', 'main.go': go },
      'the program go',
    ],
    ['Deno', runs('deno', '--version'), { 'deno.json': '{}', 'main.ts': deno }, 'the program deno'],
  ])(
    'a push of %s runs where the machine can build it, and says what is missing elsewhere',
    async (language, canBuild, files, program) => {
      const { copy, push, name } = await gitProjectOfTest(server())
      await copy.commit(files)
      const { stderr } = await push('main')
      const page = await server().site(name)
      if (canBuild) {
        expect(stderr).toContain('Live: ')
        expect([page.status, page.text]).toEqual([200, `from ${language.split(' ')[0]}`])
      } else {
        expect(stderr).toContain(`and ${program} is not on this machine. The operator can install it`)
        expect(page.status).toBe(404)
      }
    },
  )

  it('an app that starts with a program that is not there fails with where to get it', async () => {
    const { copy, push, name } = await gitProjectOfTest(server())
    await copy.commit({ Procfile: "web: echo 'sh: 1: bun: not found' >&2; exit 127" })
    const { stderr } = await push('main')
    expect(stderr).toContain(
      'The program bun is not on the machine that runs the app. Add its package to the',
    )
    expect((await server().site(name)).status).not.toBe(200)
  })
})

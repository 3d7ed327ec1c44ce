// The internet of a test, as a program: run in the network of a bare machine. Its DNS answers every name with the address of the
// server. Let's Encrypt (Pebble) and the downloads of Node.js are where they are for everybody, with certificates of an
// authority of the test.
//
//   node internet.js <folder> <address of the internet> <address of the server>
//
// The folder has certificate.pem, certificate.key and node.tar.xz. It gets root.pem, which visitors trust, and `ready`.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [folder = '', own = '', server = ''] = process.argv.slice(2)
const at = (name: string): string => path.join(folder, name)
const [cert, key] = [readFileSync(at('certificate.pem')), readFileSync(at('certificate.key'))]
const pebble = { host: '127.0.0.1', port: 14000, rejectUnauthorized: false }

/** Programs of their own: they end with the machine. */
function run(program: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH ?? '', PEBBLE_VA_NOSLEEP: '1' }
  spawn(program, args, { env, stdio: 'ignore' }).once('exit', () => process.exit(1))
}

const archive = 'node.tar.xz'

async function sums(): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(at(archive))) hash.update(chunk)
  return hash.digest('hex')
}

const front = createServer({ cert, key }, async (req, res) => {
  const { host = '' } = req.headers
  const url = req.url ?? ''
  if (host === 'nodejs.org') {
    const name = url.split('/').at(-1) ?? ''
    if (name !== 'SHASUMS256.txt') createReadStream(at(archive)).pipe(res)
    else res.end(`${await sums()}  node-${url.split('/').at(-2)}-linux-${process.arch}.tar.xz\n`)
    return
  }
  // The directory of Let's Encrypt has another path than Pebble's.
  const to = {
    ...pebble,
    method: req.method,
    headers: req.headers,
    path: url === '/directory' ? '/dir' : url,
  }
  const asked = request(to, answer => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  asked.on('error', () => res.destroy())
  req.pipe(asked)
})
await once(front.listen(443, own), 'listening')

writeFileSync(
  at('pebble.json'),
  JSON.stringify({
    pebble: {
      ...{ listenAddress: '127.0.0.1:14000', managementListenAddress: '127.0.0.1:15000' },
      ...{ certificate: at('certificate.pem'), privateKey: at('certificate.key') },
      ...{ httpPort: 80, tlsPort: 443 },
    },
  }),
)
run(
  'pebble-challtestsrv',
  ...['-dns01', `${own}:53`, '-management', '127.0.0.1:8055', '-http01', ''],
  ...[...['-https01', '', '-tlsalpn01', '', '-defaultIPv6', '', '-defaultIPv4', server]],
)
run('pebble', '-config', at('pebble.json'), '-dnsserver', `${own}:53`)

/** Repeats it until it works: the programs have just been started. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch {
      await sleep(50)
    }
  }
}

for (const host of ['acme-v02.api.letsencrypt.org.', 'nodejs.org.'])
  await eventually(() =>
    fetch('http://127.0.0.1:8055/add-a', {
      method: 'POST',
      body: JSON.stringify({ host, addresses: [own] }),
    }),
  )
const root = await eventually(
  () =>
    new Promise<string>((resolve, reject) =>
      request({ ...pebble, port: 15000, path: '/roots/0' }, async answer => {
        let text = ''
        for await (const part of answer) text += part
        resolve(text)
      })
        .on('error', reject)
        .end(),
    ),
)
writeFileSync(at('root.pem'), root)
writeFileSync(at('ready'), '')

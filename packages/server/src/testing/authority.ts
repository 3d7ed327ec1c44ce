// A certificate authority for one test.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export interface MadeCertificate {
  /** `certFile` and `keyFile` are paths, `cert` and `key` the contents of the files. */
  certFile: string
  keyFile: string
  cert: string
  key: string
}

export class Authority {
  readonly dir: string
  readonly ca: string
  #made = 0

  private constructor(dir: string, ca: string) {
    this.dir = dir
    this.ca = ca
  }

  static async make(): Promise<Authority> {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-authority-'))
    const [key, pem] = [path.join(dir, 'ca.key'), path.join(dir, 'ca.pem')]
    const subject = ['-subj', '/CN=Test Root', '-days', '30']
    await run('openssl', ['req', '-x509', ...newKey, ...subject, '-keyout', key, '-out', pem])
    return new Authority(dir, await readFile(pem, 'utf8'))
  }

  async certificate(...names: string[]): Promise<MadeCertificate> {
    const file = (ending: string) => path.join(this.dir, `${this.#made}.${ending}`)
    this.#made++
    const [keyFile, request, certFile, extensions] = ['key', 'csr', 'pem', 'ext'].map(file) as [
      string,
      string,
      string,
      string,
    ]
    await writeFile(extensions, `subjectAltName=${names.map(name => `DNS:${name}`).join(',')}\n`)
    const subject = ['-subj', `/CN=${names[0]}`]
    await run('openssl', ['req', '-new', ...newKey, ...subject, '-keyout', keyFile, '-out', request])
    const signer = ['-CA', path.join(this.dir, 'ca.pem'), '-CAkey', path.join(this.dir, 'ca.key')]
    const days = ['-days', '20', '-set_serial', String(Date.now() + this.#made), '-extfile', extensions]
    await run('openssl', ['x509', '-req', '-in', request, ...signer, ...days, '-out', certFile])
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    return { certFile, keyFile, cert, key }
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true })
  }
}

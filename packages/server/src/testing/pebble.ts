// Runs Pebble, an ACME certificate authority for tests, with its own DNS server that resolves every name to this machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { Authority } from './authority.ts'
import { freePorts } from './free-ports.ts'
import { Gateway } from './gateway.ts'

interface PebbleOptions {
  /** The keys of the accounts that clients must name, by their names (external account binding). */
  bindings?: Record<string, string>
}

export class Pebble {
  /** Pebble sends its challenges to this gateway. */
  readonly gateway: Gateway
  /** Its challenges by TLS go to this one. */
  readonly tlsGateway: Gateway
  readonly directory: string
  readonly dnsServer: string
  readonly dnsManagement: string
  /** The CA certificate for connections to Pebble itself. */
  readonly caFile: string
  /** The root certificate of the certificates that Pebble issues. */
  root = ''
  /** The lines that Pebble printed. */
  readonly log: string[] = []
  readonly #authority: Authority
  readonly #children: ChildProcess[] = []
  readonly #management: string

  private constructor(gateway: Gateway, tlsGateway: Gateway, authority: Authority, ports: number[]) {
    const [acme, management, dns, dnsManagement] = ports
    this.gateway = gateway
    this.tlsGateway = tlsGateway
    this.#authority = authority
    this.caFile = path.join(authority.dir, 'ca.pem')
    this.directory = `https://localhost:${acme}/dir`
    this.#management = `https://localhost:${management}`
    this.dnsServer = `127.0.0.1:${dns}`
    this.dnsManagement = `http://127.0.0.1:${dnsManagement}`
  }

  /** Starts Pebble on free ports. If another program takes one first, it tries others. */
  static async start(options: PebbleOptions = {}): Promise<Pebble> {
    const gateway = await Gateway.open()
    const tlsGateway = await Gateway.open()
    const authority = await Authority.make()
    const { certFile, keyFile } = await authority.certificate('localhost')
    for (;;) {
      const ports = await freePorts(4)
      const pebble = new Pebble(gateway, tlsGateway, authority, ports)
      if (await pebble.#run(ports, certFile, keyFile, options)) {
        pebble.root = await pebble.#fetch(`${pebble.#management}/roots/0`)
        return pebble
      }
      await pebble.#end()
    }
  }

  /** The settings of a server that gets its certificates from Pebble. */
  environment(): Record<string, string> {
    return {
      SVCD_TLS_PORT: '0',
      SVCD_ACME_DIRECTORY: this.directory,
      SVCD_ACME_EMAIL: 'ops@platform.test',
      SVCD_ACME_CA_FILE: this.caFile,
      SVCD_ACME_HTTP_PORT: String(this.gateway.port),
      SVCD_CERT_CHECK_PORT: String(this.tlsGateway.port),
      SVCD_DNS_SERVERS: this.dnsServer,
      SVCD_ALLOW_PRIVATE_TARGETS: '1',
    }
  }

  /** The number of orders that clients created. */
  get orders(): number {
    return this.log.filter(line => line.includes('Added order')).length
  }

  /** Changes DNS records with a call of Pebble's DNS server: `set-cname`, `add-a`, `clear-a`, `set-txt`, … */
  async dns(call: string, body: object): Promise<void> {
    const answer = await fetch(`${this.dnsManagement}/${call}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${call} answered ${answer.status}`)
  }

  async stop(): Promise<void> {
    await this.#end()
    await this.gateway.close()
    await this.tlsGateway.close()
    await this.#authority.remove()
  }

  async #run(
    ports: number[],
    certificate: string,
    privateKey: string,
    { bindings }: PebbleOptions,
  ): Promise<boolean> {
    const [acme, management, dns, dnsManagement] = ports
    const config = {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate,
      privateKey,
      httpPort: this.gateway.port,
      tlsPort: this.tlsGateway.port,
      ...(bindings && { externalAccountBindingRequired: true, externalAccountMACKeys: bindings }),
    }
    const file = path.join(this.#authority.dir, 'pebble.json')
    await writeFile(file, JSON.stringify({ pebble: config }))
    this.#start('pebble-challtestsrv', [
      ...['-dns01', this.dnsServer, '-management', `127.0.0.1:${dnsManagement}`],
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', ''],
    ])
    this.#start('pebble', ['-config', file, '-dnsserver', `127.0.0.1:${dns}`])
    const gone = Promise.race(this.#children.map(child => once(child, 'close'))).then(() => false)
    return await Promise.race([gone, this.#ready().then(() => true)])
  }

  #start(program: string, args: string[]): void {
    const env = { PATH: process.env.PATH ?? '', PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' }
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const note = (chunk: Buffer) => this.log.push(...chunk.toString().split('\n'))
    child.stdout.on('data', note)
    child.stderr.on('data', note)
    this.#children.push(child)
  }

  async #ready(): Promise<void> {
    for (;;) {
      try {
        await this.#fetch(this.directory)
        await fetch(this.dnsManagement)
        return
      } catch {
        await new Promise(resolve => setTimeout(resolve, 50)) // Pebble does not listen yet.
      }
    }
  }

  #fetch(url: string): Promise<string> {
    return new Promise((resolve, reject) => {
      get(url, { ca: this.#authority.ca, agent: false }, res => {
        let text = ''
        res.on('data', chunk => {
          text += chunk
        })
        res.on('end', () => resolve(text)).on('error', reject)
      }).on('error', reject)
    })
  }

  async #end(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const closed = once(child, 'close')
      child.kill()
      await closed
    }
  }
}

/** One Pebble for all tests of a file. */
export function usePebble(): () => Pebble {
  let pebble: Pebble
  beforeAll(async () => {
    pebble = await Pebble.start()
  })
  afterAll(() => pebble?.stop())
  return () => pebble
}

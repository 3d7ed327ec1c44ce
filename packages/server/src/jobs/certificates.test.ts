import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { Logger } from 'pino'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Issuing } from '../core/base/parts.ts'
import type { Platform } from '../core/base/platform.ts'
import { AuthorityBackoff } from '../core/domains/certificates/authority-backoff.ts'
import { randomText } from '../lib/ids.ts'
import { Keyring, SealKey } from '../lib/seal.ts'
import { Secret } from '../lib/secret.ts'
import { type Acme, AcmeAway, AcmeRefusal } from '../ports/acme/port.ts'
import { findCertificate, hasten } from '../store/domains/certificates.ts'
import { deleteDomain, insertDomain } from '../store/domains/domains.ts'
import { eventually } from '../testing/eventually.ts'
import { addProject } from '../testing/rows.ts'
import { onEveryStore } from '../testing/stores.ts'
import { keepCertificates } from './certificates.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** Valid for long. */
const chain = rootCertificates.find(pem => new Date(new X509Certificate(pem).validTo).getFullYear() > 2040)!
const keyring = new Keyring(() => [SealKey.parse(Buffer.alloc(32, 1).toString('base64'))!])
const nothing = async (): Promise<void> => undefined

/** An authority that issues every certificate. A test can replace single methods, and read the requests in `asked`. */
class FakeAuthority {
  readonly asked: string[] = []
  account = nothing
  prove = nothing
  finish = nothing
  renewal: Acme['renewal'] = async () => undefined
  present = nothing
  cleanUp = nothing

  issuing(withDns01 = false): Issuing {
    const note = (what: string) => void this.asked.push(what)
    const dns01 = { present: () => this.present(), cleanUp: () => this.cleanUp() }
    return {
      backoff: new AuthorityBackoff(),
      perHost: false,
      dns01: withDns01 ? dns01 : undefined,
      acme: {
        directory: `https://${randomText(8)}.test/`,
        newKey: async () => new Secret('a private key'),
        check: nothing,
        renewal: chain => this.renewal(chain),
        account: async () => {
          note('account')
          await this.account()
          return {
            newOrder: async ([name]) => {
              note(`order ${name}`)
              return `order/${name}`
            },
            challenges: async (order, type) => {
              const name = order.slice(6)
              return [{ type, name, token: 'token', answer: 'answer', url: '', authorization: '' }]
            },
            prove: () => this.prove(),
            finish: async () => {
              await this.finish()
              return chain
            },
          }
        },
      },
    }
  }
}

onEveryStore(store => {
  let project_id: string
  beforeAll(async () => {
    project_id = (await addProject(store())).id
  })

  const attach = async (domain: string) => {
    const row = {
      domain,
      project_id,
      branch: null,
      deployment_id: null,
      created_at: 1,
      verified_at: 1,
      next_look_at: null,
    }
    await store().transact(async (tx, changed) => {
      await insertDomain(tx, row)
      await changed({ topic: 'domain', key: domain })
    })
    return domain
  }
  const detach = (domain: string) =>
    store().transact(async (tx, changed) => {
      await deleteDomain(tx, project_id, domain)
      await changed({ topic: 'domain', key: domain })
    })
  const newDomain = () => attach(`www.d${randomText(10)}.example`)
  const certificate = (name: string) => findCertificate(store().db, name)
  const becomes = (name: string, state: string) =>
    eventually(async () => (await certificate(name))?.state === state)

  function keep(authority: FakeAuthority, more: Partial<Platform> = {}, withDns01 = false) {
    let now = Date.parse('2026-06-01T12:00:00.000Z')
    const clock = {
      now: () => now,
      timeout: AbortSignal.timeout,
      advance(ms: number) {
        now += ms
      },
    }
    const errors: unknown[] = []
    const platform = {
      store: store(),
      clock,
      keyring,
      domain: 'platform.test',
      dnsTarget: 'edge.platform.test',
      allowPrivateTargets: false,
      dns: {
        records: async () => ({ cname: [], a: ['192.0.2.1'], aaaa: [] }),
        txt: async () => ['answer'],
      },
      alpnProbe: async () => undefined,
      httpProbe: async () => ({ unreachable: 'from here' }),
      ...more,
    }
    const log = { error: (found: unknown) => void errors.push(found) } as unknown as Logger
    const loop = keepCertificates(platform, authority.issuing(withDns01), log)
    onTestFinished(() => loop.stop())
    const wake = async (domain: string) => {
      await store().transact(async (tx, changed) => {
        await hasten(tx, domain, clock.now())
        await changed({ topic: 'certificate', key: domain })
      })
    }
    return { clock, errors, wake }
  }

  describe('certificates', () => {
    it('are issued for one name while the DNS of others does not answer', async () => {
      const slow = new Set<string>()
      for (let count = 0; count < 9; count++) slow.add(await newDomain())
      const waiting: (() => void)[] = []
      const records = async (name: string) => {
        if (slow.has(name)) await new Promise<void>(resolve => waiting.push(resolve))
        return { cname: [], a: ['192.0.2.1'], aaaa: [] }
      }
      keep(new FakeAuthority(), { dns: { records, txt: async () => [] } })
      await eventually(async () => waiting.length === slow.size)
      const others = [await newDomain(), await newDomain(), await newDomain()]
      for (const name of others) await becomes(name, 'valid')
      for (const name of slow) await detach(name)
      for (const answer of waiting) answer()
    })

    it('are not requested from an authority that fails, however many names wait', async () => {
      const authority = new FakeAuthority()
      authority.account = async () => {
        throw new AcmeAway('it is in trouble')
      }
      const { clock, wake, errors } = keep(authority)
      const first = await newDomain()
      await becomes(first, 'failed')
      for (let times = 0; times < 5; times++) {
        await wake(first)
        await eventually(async () => (await certificate(first))?.next_at === clock.now() + minute)
      }
      expect((await certificate(first))?.waiting_for).toBe(
        'The certificate authority is left alone for a while: it is in trouble',
      )
      const second = await newDomain()
      await eventually(async () => (await certificate(second))?.waiting_for != null)
      expect(authority.asked).toEqual(['account'])
      authority.account = nothing
      clock.advance(minute)
      await wake(second)
      await Promise.all([becomes(first, 'valid'), becomes(second, 'valid')])
      expect(errors).toEqual([])
    })

    it('are renewed when the authority says so, and by their lifetime if it does not answer', async () => {
      const authority = new FakeAuthority()
      authority.renewal = async () => {
        throw new AcmeAway('it is in trouble')
      }
      const { clock, wake, errors } = keep(authority)
      const domain = await newDomain()
      await eventually(async () => (await certificate(domain))?.renewal_asked_at === clock.now())
      const before = await certificate(domain)
      const early = clock.now() + 30 * day
      authority.renewal = async () => ({ start: early, end: early })
      clock.advance(6 * 60 * minute)
      await wake(domain)
      await eventually(async () => (await certificate(domain))?.next_at === early)
      expect(before?.next_at).toBeGreaterThan(early)
      const orders = () => authority.asked.filter(asked => asked === `order ${domain}`).length
      expect(orders()).toBe(1)
      clock.advance(30 * day)
      await wake(domain)
      await eventually(() => orders() === 2)
      expect(errors).toEqual([])
    })

    it('are issued with the same order after the authority failed', async () => {
      const authority = new FakeAuthority()
      authority.finish = async () => {
        throw new AcmeAway('it is in trouble')
      }
      const { clock, wake } = keep(authority)
      const domain = await newDomain()
      await becomes(domain, 'failed')
      authority.finish = nothing
      clock.advance(5 * minute)
      await wake(domain)
      await becomes(domain, 'valid')
      expect(authority.asked).toEqual(['account', `order ${domain}`, 'account'])
    })

    it('of a domain that is detached meanwhile are dropped without an error in the log', async () => {
      const authority = new FakeAuthority()
      let isAsked = false
      let refuse = (): void => undefined
      authority.prove = () =>
        new Promise((_resolve, reject) => {
          isAsked = true
          refuse = () => reject(new AcmeRefusal('it found nothing'))
        })
      const { errors } = keep(authority)
      const domain = await newDomain()
      await eventually(async () => isAsked)
      await detach(domain)
      await attach(domain)
      authority.prove = nothing
      refuse()
      await becomes(domain, 'valid')
      expect((await certificate(domain))?.error).toBeNull()
      expect(errors).toEqual([])
    })

    it("of the platform are issued even if the operator's program cannot remove its record", async () => {
      const authority = new FakeAuthority()
      authority.cleanUp = async () => {
        throw new Error('the DNS provider is down')
      }
      keep(authority, { domain: 'own.test' }, true)
      await becomes('*.own.test', 'valid')
    })
  })
})

import { expect, it } from 'vitest'
import { changePassword } from '../core/identity/password-change.ts'
import { onEveryServer } from '../testing/server.ts'

const password = 'correct horse battery'
const wrong = 'wrong horse battery'
const nineWrong = Array<number>(9).fill(401)

let addresses = 0
/** Rate limits count by network, so each test uses a new address. */
const newAddress = () => `198.51.100.${++addresses}`
const newNetwork = () => `2001:db8:${(++addresses).toString(16)}:1`

onEveryServer(
  server => {
    const post = (path: string, body: unknown, ip: string, token?: string) =>
      server().request(path, { method: 'POST', body, token, headers: { 'x-forwarded-for': ip } })
    const signIn = (body: object, ip = newAddress()) => post('/auth/signin', { password, ...body }, ip)

    async function someone(): Promise<string> {
      const { login } = await server().account()
      await changePassword(server().running.platform, login, password)
      return login
    }

    /** Uses up the sign-in limit of a login with wrong passwords from many networks. */
    async function lockedByStrangers(login: string): Promise<void> {
      for (let i = 0; i < 10; i++) await signIn({ login, password: wrong })
      expect((await signIn({ login })).status).toBe(429)
    }

    it.each([
      ['/auth/signin', () => ({ login: `guess-${++addresses}`, password: wrong }), 10],
      ['/auth/device', () => undefined, 10],
      ['/auth/signup', () => ({ login: 'x', password }), 60],
      ['/auth/device/poll', () => ({ device_code: 'x' }), 180],
    ])('POST %s counts all addresses of an IPv6 /64 as one client', async (path, body, limit) => {
      const network = newNetwork()
      const statuses = []
      for (let i = 0; i <= limit; i++) statuses.push((await post(path, body(), `${network}:${i}::1`)).status)
      expect(statuses.indexOf(429)).toBe(limit)
      expect((await post(path, body(), `${newNetwork()}::1`)).status).not.toBe(429)
    })

    it('the API counts an IPv4 address and its IPv6 forms as one client', async () => {
      const forms = ['192.0.2.77', '::ffff:192.0.2.77', '::ffff:c000:24d', '0:0:0:0:0:FFFF:192.0.2.77']
      const left = []
      for (const ip of forms)
        left.push((await signIn({ login: 'nobody-here' }, ip)).headers['x-ratelimit-remaining'])
      expect(left).toEqual(['9', '8', '7', '6'])
      expect((await signIn({ login: 'nobody-there' }, '::ffff:c000:24e')).headers).toMatchObject({
        'x-ratelimit-remaining': '9',
      })
    })

    it('the API lets the owner in from a known device while strangers guess at the password', async () => {
      const login = await someone()
      const { device_secret } = (await signIn({ login })).json
      await lockedByStrangers(login)
      const known = await signIn({ login: login.toUpperCase(), device_secret })
      expect([known.status, known.json.device_secret]).toEqual([200, expect.any(String)])
      expect((await signIn({ login })).status).toBe(429)
    })

    it('the API lets the owner in from a known device behind an address that guesses', async () => {
      const login = await someone()
      const { device_secret } = (await signIn({ login })).json
      const ip = newAddress()
      for (let i = 0; i < 11; i++) await signIn({ login: `other-${i}` }, ip)
      expect((await signIn({ login }, ip)).status).toBe(429)
      expect((await signIn({ login, device_secret }, ip)).status).toBe(200)
    })

    it('the API limits the guesses of a known device, too', async () => {
      const login = await someone()
      const { device_secret } = (await signIn({ login })).json
      const statuses = []
      for (let i = 0; i < 11; i++)
        statuses.push((await signIn({ login, device_secret, password: wrong })).status)
      expect(statuses).toEqual([...nineWrong, 401, 429])
    })

    it('the API takes no device secret for another login, of another password, or that was tampered with', async () => {
      const [login, other] = [await someone(), await someone()]
      const { device_secret } = (await signIn({ login })).json
      const foreign = (await signIn({ login: other })).json.device_secret
      const [device, signature] = device_secret.split('.')
      await lockedByStrangers(login)
      const forged = [foreign, `${device}x.${signature}`, `${device}.`, `.${signature}`, '.', 'x'.repeat(200)]
      for (const device_secret of forged) expect((await signIn({ login, device_secret })).status).toBe(429)
      await changePassword(server().running.platform, login, password)
      expect((await signIn({ login, device_secret })).status).toBe(429)
    })

    it('the API stops an account that guesses user codes, in the pages and in the API alike', async () => {
      const guesser = await server().account()
      const device = (await post('/auth/device', undefined, newAddress())).json
      const guesses: ((code: string) => Promise<{ status: number }>)[] = [
        code => server().request(`/auth/device/${code}`, { token: guesser.token }),
        code => post('/auth/device/approve', { user_code: code }, newAddress(), guesser.token),
        code => post('/auth/device/deny', { user_code: code }, newAddress(), guesser.token),
      ]
      const statuses = []
      for (let i = 0; i < 10; i++) statuses.push((await guesses[i % 3]!(`BBBB-BBB${'BCDFGHJKLM'[i]}`)).status)
      expect(statuses).toEqual(Array(10).fill(404))
      for (const guess of guesses) expect((await guess(device.user_code)).status).toBe(429)
      const owner = await server().account()
      const approved = await post(
        '/auth/device/approve',
        { user_code: device.user_code },
        newAddress(),
        owner.token,
      )
      expect([approved.status, approved.headers['x-ratelimit-limit']]).toEqual([200, '10'])
      server().clock.advance(600_001)
      expect((await guesses[0]!('BBBB-BBBB')).status).toBe(404)
    })

    it('the API lets no more guesses through that come all at once', async () => {
      const { token } = await server().account()
      const all = await Promise.all(
        Array.from({ length: 40 }, () => server().request('/auth/device/CCCC-CCCC', { token })),
      )
      expect(all.filter(({ status }) => status === 404)).toHaveLength(10)
    })

    it('the API counts no right user code', async () => {
      const { token } = await server().account()
      for (let i = 0; i < 12; i++) {
        const { user_code } = (await post('/auth/device', undefined, newAddress())).json
        expect((await server().request(`/auth/device/${user_code}`, { token })).status).toBe(200)
        expect((await post('/auth/device/deny', { user_code }, newAddress(), token)).status).toBe(200)
      }
    })
  },
  { SVCD_TRUST_PROXY: '127.0.0.1' },
)

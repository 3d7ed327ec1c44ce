import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findProfile } from '../store/billing/profiles.ts'
import { databases } from '../testing/databases.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { makeTeam, type Person } from '../testing/team.ts'
import { answer, startVies, type Vies, viesError } from '../testing/vies.ts'

const domestic = { kind: 'domestic', rate_percent: 21 }
const reverse = { kind: 'reverse_charge', rate_percent: 0 }
const outside = { kind: 'outside_eu', rate_percent: 0 }

describe.each(databases())('invoice details on %s', engine => {
  let server: TestServer
  let vies: Vies
  beforeAll(async () => {
    vies = await startVies('DE136695976', 'NL123456789B01', 'EL094259216', 'XI110305878', 'FR40303265045')
    server = await TestServer.start(engine, {
      SVCD_VIES_URL: vies.url,
      SVCD_SELLER_VAT_NUMBER: 'NL 123456789 B01',
    })
    return async () => {
      await server.remove()
      await vies.stop()
    }
  })
  const put = (who: Person, body: unknown) => send(server, 'PUT /billing/profile', who, body)

  it('are stored as they were meant, and say which VAT the next invoice has', async () => {
    const who = await server.account()
    const { status, json } = await put(who, {
      name: '  Muster GmbH ',
      address: ' Straße 1 \r\n\n 10623 Berlin\n',
      country: 'de',
      vat_number: 'de 136.695.976',
      email: 'ap@example.de',
    })
    expect([status, json]).toEqual([
      200,
      {
        name: 'Muster GmbH',
        address: 'Straße 1\n10623 Berlin',
        country: 'DE',
        vat_number: 'DE136695976',
        email: 'ap@example.de',
        tax: reverse,
      },
    ])
    const row = await findProfile(server.running.platform.store.db, who.id)
    expect(row).toMatchObject({ vat_number: 'DE136695976', vat_consultation: expect.stringMatching(/^WAPI/) })
    expect(row!.vat_checked_at).toBeGreaterThan(0)
  })

  it.each([
    [{}, { country: null, vat_number: null, tax: domestic }],
    [{ country: 'NL' }, { country: 'NL', tax: domestic }],
    [{ country: 'DE' }, { country: 'DE', tax: domestic }],
    [{ country: 'US' }, { country: 'US', tax: outside }],
    [{ vat_number: 'NL123456789B01' }, { country: 'NL', vat_number: 'NL123456789B01', tax: domestic }],
    [{ vat_number: 'DE136695976' }, { country: 'DE', tax: reverse }],
    [
      { country: 'GR', vat_number: '094259216' },
      { country: 'GR', vat_number: 'EL094259216', tax: reverse },
    ],
    [
      { country: 'EL', vat_number: 'GR094259216' },
      { country: 'GR', vat_number: 'EL094259216', tax: reverse },
    ],
    [
      { country: 'XI', vat_number: 'XI110305878' },
      { country: 'GB', vat_number: 'XI110305878', tax: outside },
    ],
    [
      { country: 'MC', vat_number: 'FR40303265045' },
      { country: 'MC', tax: reverse },
    ],
    [
      { country: '', vat_number: ' ', name: '', address: '', email: '' },
      { name: null, country: null, email: null },
    ],
    [
      { name: null, country: null, vat_number: null, email: null, address: null },
      { name: null, tax: domestic },
    ],
  ])('%j become %j', async (body, profile) => {
    const { status, json } = await put(await server.account(), body)
    expect([status, json]).toEqual([200, expect.objectContaining(profile)])
  })

  it.each([
    [{ country: 'XX' }, '400 invalid_request', /^country: /],
    [{ country: 'N' }, '400 invalid_request', /^country: /],
    [{ country: 'NLD' }, '400 invalid_request', /^country: /],
    [{ country: 'NL', vat_number: 'DE136695976' }, '400 invalid_request', /^vat_number: begins with DE/],
    [{ email: 'nobody' }, '400 invalid_request', /^email: /],
    [{ name: 'x'.repeat(201) }, '400 invalid_request', /^name: /],
    [{ name: 'Bell\u0007' }, '400 invalid_request', /^name: invoices can print/],
    [{ name: 'two\nlines' }, '400 invalid_request', /^name: /],
    [{ name: '株式会社' }, '400 invalid_request', /^name: invoices can print Latin/],
    [{ address: '1\n2\n3\n4\n5\n6\n7' }, '400 invalid_request', /^address: must have at most 6 lines/],
    [{ vat_number: 'DE000000000' }, '400 vat_number_not_found', /VIES/],
    [{ vat_number: 'DE1' }, '400 vat_number_not_found', /another form/],
    [{ vat_number: '12345' }, '400 vat_number_not_found', /must begin with the code/],
    [{ country: 'US', vat_number: '12-3456789' }, '400 vat_number_not_found', /leave it empty/],
    [{ country: 'GB', vat_number: 'GB123456789' }, '400 vat_number_not_found', /another form/],
  ])('refuses %j with %s', async (body, expected, message) => {
    const answered = await put(await server.account(), body)
    expect(refusal(answered)).toBe(expected)
    expect(answered.json.error.message).toMatch(message)
  })

  it('are not changed by a request that is refused', async () => {
    const who = await server.account()
    await put(who, { name: 'Before', country: 'US' })
    await put(who, { name: 'After', vat_number: 'DE000000000' })
    expect(await findProfile(server.running.platform.store.db, who.id)).toMatchObject({ name: 'Before' })
  })

  it('are not stored while the registry does not answer; a number that it confirmed before is not asked again', async () => {
    const who = await server.account()
    await put(who, { name: 'Before', vat_number: 'DE136695976' })
    vies.behaviour = res => answer(res, 200, viesError('MS_UNAVAILABLE'))
    onTestFinished(() => {
      vies.behaviour = undefined
    })
    const refused = await put(who, { name: 'After', vat_number: 'NL123456789B01' })
    expect(refusal(refused)).toBe('503 vat_registry_unavailable')
    expect(refused.json.error.message).toMatch(/Nothing was stored/)
    const { db } = server.running.platform.store
    expect(await findProfile(db, who.id)).toMatchObject({ name: 'Before', vat_number: 'DE136695976' })
    expect((await put(who, { name: 'After', vat_number: 'DE 136 695 976' })).status).toBe(200)
  })

  it('clear what a request leaves out', async () => {
    const who = await server.account()
    await put(who, { name: 'Muster', vat_number: 'DE136695976', email: 'ap@example.de' })
    const { json } = await put(who, { name: 'Muster' })
    expect(json).toMatchObject({
      name: 'Muster',
      country: null,
      vat_number: null,
      email: null,
      tax: domestic,
    })
  })

  it('of an org are changed by its owners alone, and the audit log says so', async () => {
    const team = await makeTeam(server)
    const line = `PUT /orgs/${team.org}/billing/profile` as const
    const body = { name: 'Muster GmbH', vat_number: 'DE136695976' }
    expect(refusal(await send(server, line, team.outsider, body))).toBe('404 not_found')
    expect(refusal(await send(server, line, team.member, body))).toBe('403 forbidden')
    expect(refusal(await send(server, line, team.admin, body))).toBe('403 forbidden')
    expect((await send(server, line, team.owner, body)).json).toMatchObject({ country: 'DE', tax: reverse })
    const { json } = await send(server, `GET /orgs/${team.org}/audit`, team.owner)
    expect(json.entries[0]).toMatchObject({
      action: 'billing.profile',
      actor: team.owner.login,
      details: { country: 'DE', vat_number: 'DE136695976' },
    })
  })

  it('of an org are deleted with it', async () => {
    const team = await makeTeam(server)
    await send(server, `PUT /orgs/${team.org}/billing/profile`, team.owner, { name: 'Muster GmbH' })
    const { id } = (await send(server, `GET /orgs/${team.org}`, team.owner)).json
    const { db } = server.running.platform.store
    expect(await findProfile(db, id)).toBeDefined()
    expect((await send(server, `DELETE /orgs/${team.org}`, team.owner)).status).toBe(200)
    expect(await findProfile(db, id)).toBeUndefined()
  })

  it('ask the registry at most 30 times an hour for one account', async () => {
    const who = await server.account()
    for (let count = 0; count < 30; count++) await put(who, { vat_number: 'DE000000000' })
    const refused = await put(who, { vat_number: 'DE136695976' })
    expect(refusal(refused)).toBe('429 rate_limit_exceeded')
    expect(refused.headers['retry-after']).toBeDefined()
    server.clock.advance(3_600_000)
    expect((await put(who, { vat_number: 'DE136695976' })).status).toBe(200)
  })

  it('need a token', async () => {
    expect((await send(server, 'PUT /billing/profile', undefined, {})).status).toBe(401)
  })
})

it('without billing there are no invoice details', async () => {
  const server = await TestServer.start('sqlite', { SVCD_BILLING: 'off' })
  onTestFinished(() => server.remove())
  const refused = await send(server, 'PUT /billing/profile', await server.account(), { name: 'Muster' })
  expect(refusal(refused)).toBe('404 not_found')
  expect(refused.json.error.message).toMatch(/Billing is off/)
})

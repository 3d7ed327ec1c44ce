// All invoices of the platform, for its operator.
import { expect, it } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { buy, day } from '../testing/billing.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

onEveryServer(
  server => {
    it('invoices of all owners are listed and exported, also of deleted orgs', async () => {
      const admin = await platformAdmin(server())
      const who = await server().account()
      await buy(server(), who)
      const team = await makeTeam(server())
      const scope = `/orgs/${team.org}` as const
      await send(server(), `PUT ${scope}/billing/profile`, team.owner, { name: '=Acme, Inc', country: 'US' })
      await buy(server(), team.owner, { scope })
      await send(server(), `POST ${scope}/billing/cancel`, team.owner)
      server().clock.advance(32 * day)
      expect((await send(server(), `DELETE ${scope}`, team.owner)).status).toBe(200)
      const list = async (query = '') =>
        (await send(server(), `GET /admin/invoices?limit=1${query}`, admin)).json
      const first = await list()
      const second = await list(`&cursor=${first.next_cursor}`)
      expect([...first.invoices, ...second.invoices]).toMatchObject([
        {
          owner: null,
          buyer: { name: '=Acme, Inc', country: 'United States' },
          tax: { kind: 'outside_eu' },
          total_cents: 2_000,
          is_sandbox: true,
        },
        { owner: who.login, owner_id: who.id, total_cents: 2_420, vat_cents: 420 },
      ])
      const csv = (await send(server(), 'GET /admin/invoices/export', admin)).text.split('\r\n')
      expect(csv).toHaveLength(4)
      expect(csv[0]).toMatch(/^number,kind,credits,date,buyer/)
      expect(csv[1]).toContain(`"'=Acme, Inc",United States,,outside_eu,0,20.00,0.00,20.00`)
      expect((await list('&to=2020-01-01')).invoices).toEqual([])
      expect(refusal(await send(server(), 'GET /admin/invoices?from=2026-02-01&to=2026-01-01', admin))).toBe(
        '400 invalid_request',
      )
      const pdf = () => send(server(), `GET /admin/invoices/${first.invoices[0].id}/pdf`, admin)
      await eventually(async () => (await pdf()).status === 200)
      expect((await pdf()).json.url).toContain('/invoices/')
      expect((await send(server(), 'GET /admin/invoices', who)).status).toBe(403)
    })
  },
  { SVCD_BILLING: 'sandbox' },
)

// Targets of notifications at chat services.
import { expect, it } from 'vitest'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

it.each([
  'https://hooks.slack.com/services/T0/B0/x',
  'https://discord.com/api/webhooks/1/x',
  'https://prod-1.westeurope.logic.azure.com/workflows/x',
])('a chat service checks no signature, so its target shows no secret: %s', async address => {
  const server = await TestServer.start('sqlite')
  try {
    const owner = await server.account()
    const name = await deploySite(server, owner.token, { 'index.html': 'x' })
    const body = { kind: 'webhook', address }
    const { status, json } = await send(server, `POST /projects/${name}/notifications`, owner, body)
    expect({ status, secret: json.secret, address: json.address }).toEqual({
      status: 201,
      secret: null,
      address,
    })
  } finally {
    await server.remove()
  }
})

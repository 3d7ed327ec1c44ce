// Requests at a steady rate, whether or not the ones before are answered: what waits shows as waiting, and not as less load.
import { setTimeout as sleep } from 'node:timers/promises'

/** More connections than browsers of that many visitors have, and few enough for a machine that does the handshakes of both sides. */
const mostClients = 200

/**
 * A request takes a client that is idle, or a new one. Where all are busy, it waits for one, and that counts as its own time. `stop`
 * resolves with what the requests felt.
 */
export function steadyLoad(makeClient, expected, perSecond) {
  const idle = []
  const waiting = []
  let clients = 0
  const underWay = new Set()
  const felt = { requests: 0, failed: 0, longest: 0, failures: [] }
  let on = true
  const sending = send()

  async function send() {
    const began = performance.now()
    for (let sent = 0; on; ) {
      const due = Math.floor(((performance.now() - began) * perSecond) / 1000)
      for (; sent < due; sent++) {
        const asked = ask()
        underWay.add(asked)
        asked.finally(() => underWay.delete(asked))
      }
      await sleep(1)
    }
  }

  async function ask() {
    const began = performance.now()
    const client = await takeClient()
    felt.requests++
    try {
      const answer = await client()
      if (answer !== expected) throw new Error(answer.slice(0, 100))
    } catch (error) {
      felt.failed++
      felt.failures.push(String(error))
    }
    felt.longest = Math.max(felt.longest, performance.now() - began)
    const next = waiting.shift()
    if (next) next(client)
    else idle.push(client)
  }

  async function takeClient() {
    if (idle.length > 0) return idle.pop()
    if (clients === mostClients) return await new Promise(resolve => waiting.push(resolve))
    clients++
    return makeClient()
  }

  return {
    async stop() {
      on = false
      await sending
      await Promise.all(underWay)
      return felt
    },
  }
}

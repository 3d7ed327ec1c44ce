// Requests at a steady rate, whether or not the ones before are answered: what waits shows as waiting, and not as less load.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A request takes a client that is idle, or a new one, so that a request that waits holds up no other. `stop` resolves with what
 * the requests felt.
 */
export function steadyLoad(makeClient, expected, perSecond) {
  const idle = []
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
    const client = idle.pop() ?? makeClient()
    const began = performance.now()
    felt.requests++
    try {
      const answer = await client()
      if (answer !== expected) throw new Error(answer.slice(0, 100))
    } catch (error) {
      felt.failed++
      felt.failures.push(String(error))
    }
    felt.longest = Math.max(felt.longest, performance.now() - began)
    idle.push(client)
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

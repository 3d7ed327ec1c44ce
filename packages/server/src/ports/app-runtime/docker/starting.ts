// Waits until a new container accepts connections. Ends it if it does not.
import { describeExit, notListening } from '../exit-messages.ts'
import { type Address, AppDidNotStart, type AppExit, type AppSpec, type RunningApp } from '../port.ts'

/** A container has a loopback address of its own. svcd cannot reach an app that listens only on it. */
const advice =
  'Let it listen on the port in the variable PORT and on the address in HOSTNAME, not on localhost.'

type Launched = Pick<RunningApp, 'ended' | 'stop' | 'usage'>

/** For a command that ends by itself. Rejects with the reason of the signal, after the container has ended. */
export async function untilEnded(launched: Launched, signal: AbortSignal): Promise<AppExit> {
  const stop = () => void launched.stop(0)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const exit = await launched.ended
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return exit
}

/** `reachable` resolves with the address of the app when it accepts connections. */
export async function whenReady(
  spec: AppSpec,
  launched: Launched,
  reachable: (signal: AbortSignal) => Promise<Address>,
  signal?: AbortSignal,
): Promise<RunningApp> {
  const given = AbortSignal.timeout(spec.readyWithinMs)
  const over = new AbortController()
  launched.ended.then(() => over.abort())
  try {
    const either = AbortSignal.any([given, over.signal, ...(signal ? [signal] : [])])
    const address = await reachable(either)
    return {
      ...{ instanceId: spec.instanceId, address, ended: launched.ended },
      stop: ms => launched.stop(ms),
      usage: () => launched.usage(),
    }
  } catch (error) {
    const isOver = over.signal.aborted
    const exit = await launched.stop(0)
    signal?.throwIfAborted()
    if (isOver) throw new AppDidNotStart('exited', `${describeExit(exit)} before it accepted connections.`)
    if (!given.aborted) throw error
    throw notListening(spec.readyWithinMs, advice)
  }
}

// GitHub's device flow in the browser: shows the code to enter at GitHub, and waits until it was entered.
import { useEffect, useState } from 'react'
import { call, codeOf, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { CopyField } from '../../../components/copy.tsx'
import { Notice } from '../../../components/notice.tsx'
import { useFormWork } from '../../../use-work.ts'
import styles from './github.module.css'

export interface Device {
  device_code: string
  user_code: string
  verification_uri: string
  interval: number
}

interface DeviceCodeProps {
  /** The label of the button that starts the login. */
  action: string
  start: () => Promise<Device>
  /** Called with the token. The token is empty if none was requested. */
  onApproved: (token: string) => Promise<unknown>
}

/** Seconds to add to the interval; every other error ends the login. */
const waits: Record<string, number> = {
  authorization_pending: 0,
  slow_down: 5,
  network_error: 5,
  unavailable: 5,
}
const shortestSeconds = 1

export function DeviceCode({ action, start, onApproved }: DeviceCodeProps) {
  const [device, setDevice] = useState<Device>()
  const { busy, error, setError, run } = useFormWork()
  const begin = async () => setDevice(await start())

  return (
    <div className={styles.device}>
      {error && <Notice tone="error">{error}</Notice>}
      {device ? (
        <DeviceWait
          device={device}
          onApproved={onApproved}
          onEnd={failure => {
            setDevice(undefined)
            setError(explain(failure))
          }}
        />
      ) : (
        <Button look="primary" size="large" busy={busy} onClick={() => run(begin)}>
          {action}
        </Button>
      )}
    </div>
  )
}

interface DeviceWaitProps {
  device: Device
  onApproved: (token: string) => Promise<unknown>
  onEnd: (failure: unknown) => void
}

/** Shows the code of a login that has begun. */
export function DeviceWait({ device, onApproved, onEnd }: DeviceWaitProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one device, one round of polls
  useEffect(() => {
    let seconds = Math.max(device.interval, shortestSeconds)
    let timer = setTimeout(() => void poll(), seconds * 1000)
    async function poll() {
      try {
        const { token } = await call('POST /auth/device/poll', { body: { device_code: device.device_code } })
        await onApproved(token)
      } catch (failure) {
        const wait = waits[codeOf(failure)]
        if (wait === undefined) return onEnd(failure)
        seconds += wait
        timer = setTimeout(() => void poll(), seconds * 1000)
      }
    }
    return () => clearTimeout(timer)
  }, [device])
  return (
    <>
      <p>Enter this code at GitHub:</p>
      <CopyField text={device.user_code} label="Copy the code" />
      <p>
        <a className={styles.link} href={device.verification_uri} target="_blank" rel="noreferrer">
          Open {new URL(device.verification_uri).host}
        </a>
      </p>
      <p role="status" className={styles.soft}>
        Waiting for your approval…
      </p>
    </>
  )
}

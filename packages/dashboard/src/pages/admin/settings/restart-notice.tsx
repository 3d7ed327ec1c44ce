// Says that changed settings wait for a restart, and restarts.
import type { PlatformSettings } from '@svc/contract'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { useWork } from '../../../use-work.ts'
import styles from './settings.module.css'
import { restart } from './settings.ts'

export function RestartNotice({ restart: { needed, possible } }: Pick<PlatformSettings, 'restart'>) {
  const { busy, run } = useWork()
  async function restartNow() {
    await restart()
    notify({ tone: 'ok', text: 'The platform runs with the new settings.' })
  }
  if (!needed) return null
  return (
    <Notice tone="warning">
      <div className={styles.restart}>
        <p>
          {possible
            ? 'Changed settings wait for a restart. No request fails during it.'
            : 'Changed settings wait for a restart. Restart svcd on the server: its container or terminal ends with it.'}
        </p>
        {possible && (
          <Button size="small" busy={busy} onClick={() => run(restartNow)}>
            Restart now
          </Button>
        )}
      </div>
    </Notice>
  )
}

// Chooses, previews and saves the icon of an org.
import type { OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useRef, useState } from 'react'
import { call, sendFile } from '../../api.ts'
import { OrgAvatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { changeOrg } from '../../orgs.ts'
import { useFormWork } from '../../use-work.ts'
import styles from './icon-setting.module.css'

const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** Reads a file as a data URL, because the dashboard's content security policy allows no blob URLs. */
const read = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

function problemWith(file: File): string | undefined {
  if (!types.includes(file.type)) return 'Choose a PNG, JPEG, WebP or GIF image.'
  if (file.size > limits.iconBytes) return `The image has more than ${limits.iconBytes / 1024} KB.`
  return undefined
}

export function IconSetting({ org }: { org: OrgDetail }) {
  const [chosen, setChosen] = useState<{ file: File; preview: string }>()
  const { busy, error, setError, run } = useFormWork()
  const picker = useRef<HTMLInputElement>(null)

  async function choose(file: File) {
    const problem = problemWith(file)
    setError(problem)
    setChosen(problem === undefined ? { file, preview: await read(file) } : undefined)
  }

  function show(icon_url: string | null, done: string) {
    changeOrg(org.name, { icon_url })
    setChosen(undefined)
    notify({ tone: 'ok', text: done })
  }

  const params = { name: org.name }
  async function save(file: File) {
    const { icon_url } = await sendFile('PUT /orgs/:name/icon', params, file)
    show(icon_url, 'The icon was saved.')
  }
  async function remove() {
    await call('DELETE /orgs/:name/icon', { params })
    show(null, 'The icon was removed.')
  }

  return (
    <Card
      title="Icon"
      lead={`PNG, JPEG, WebP or GIF, at most ${limits.iconBytes / 1024} KB; a square looks best.`}
    >
      {error && <Notice tone="error">{error}</Notice>}
      <div className={styles.icon}>
        <OrgAvatar org={org} size={64} preview={chosen?.preview} />
        <input
          ref={picker}
          type="file"
          hidden
          accept={types.join()}
          aria-label="Icon file"
          onChange={event => {
            const file = event.target.files?.[0]
            event.target.value = ''
            if (file) void choose(file)
          }}
        />
        {chosen ? (
          <div className={styles.buttons}>
            <Button look="primary" busy={busy} onClick={() => run(() => save(chosen.file))}>
              Save icon
            </Button>
            <Button look="quiet" onClick={() => setChosen(undefined)}>
              Cancel
            </Button>
          </div>
        ) : (
          <div className={styles.buttons}>
            <Button icon="upload" onClick={() => picker.current?.click()}>
              {org.icon_url ? 'Choose another' : 'Choose image'}
            </Button>
            {org.icon_url && (
              <Button look="quiet" icon="trash" busy={busy} onClick={() => run(remove)}>
                Remove
              </Button>
            )}
          </div>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {chosen ? `${chosen.file.name} is chosen. Save it to show it to everyone.` : ''}
      </p>
    </Card>
  )
}

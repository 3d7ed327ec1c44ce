// One section of the settings, with its own button to save it.
import type { SettingsSection } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Form } from '../../../components/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { useFormWork } from '../../../use-work.ts'
import { NewGitHubApp } from './new-github-app.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings.module.css'
import { type Changes, saveSettings, sendTestMail } from './settings.ts'

export function SectionForm({ section: { title, settings } }: { section: SettingsSection }) {
  const [changes, setChanges] = useState<Changes>({})
  const work = useFormWork()

  function type(name: string, value: string | null | undefined) {
    const { [name]: _, ...rest } = changes
    setChanges(value === undefined ? rest : { ...rest, [name]: value })
  }

  async function save() {
    const { restart } = await saveSettings(changes)
    setChanges({})
    notify({ tone: 'ok', text: restart.needed ? 'Saved. It takes effect with a restart.' : 'Saved.' })
  }

  async function test() {
    notify({ tone: 'ok', text: `A test email is on its way to ${await sendTestMail(changes)}.` })
  }

  return (
    <Card title={title} lead={leads[title]}>
      <Form className={styles.form} onSubmit={() => work.run(save, 'save')}>
        {work.error && <Notice tone="error">{work.error}</Notice>}
        <div className={styles.fields}>
          {settings.map(setting => (
            <SettingField
              key={setting.name}
              setting={setting}
              typed={changes[setting.name]}
              onType={value => type(setting.name, value)}
            />
          ))}
        </div>
        <div className={styles.actions}>
          <Button
            type="submit"
            look="primary"
            busy={work.doing === 'save'}
            disabled={Object.keys(changes).length === 0}
            aria-label={`Save: ${title}`}
          >
            Save
          </Button>
          {settings.some(({ name, is_set }) => name === 'SVCD_GITHUB_APP_ID' && !is_set) && <NewGitHubApp />}
          {settings.some(({ name }) => name === 'SVCD_SMTP_URL') && (
            <Button busy={work.doing === 'test'} onClick={() => work.run(test, 'test')}>
              Send a test email
            </Button>
          )}
        </div>
      </Form>
    </Card>
  )
}

const leads: Record<string, ReactNode> = {
  'Domain and certificates':
    'The addresses of the platform and its sites. After a change of the domain, the dashboard is at the new one.',
  'Accounts and email': 'Who may sign up, and the server that sends email.',
  Backups: 'Keep a copy of the passphrase elsewhere: this server cannot give it back after it is lost.',
  'Limits without billing':
    'What each account and organization may use. Single ones get other limits in Users.',
}

// How long the deployments of a project are kept. It says what a new setting deletes before it is saved.
import type { ProjectDetail, Retention } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { call } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { Form } from '../../../components/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { SelectField } from '../../../components/select.tsx'
import { notify } from '../../../components/toasts.tsx'
import { formatCount } from '../../../format.ts'
import { writeResource } from '../../../resource.ts'
import { useFormWork } from '../../../use-work.ts'
import { detailKey } from './detail.ts'
import styles from './retention-card.module.css'

const counts = [5, 10, 20, 50, 100]
const lifetimes = [7, 14, 30, 90, 180, 365]

/** The usual choices, and the present one if it is another. */
const choicesOf = (usual: readonly number[], present: number | null, words: (value: number) => string) =>
  [...new Set([...usual, ...(present === null ? [] : [present])])]
    .sort((one, other) => one - other)
    .map(value => ({ value: String(value), title: words(value) }))

const all = { value: '', title: 'Keep all' }
const toNumber = (value: string): number | null => (value === '' ? null : Number(value))

interface Loss {
  deployments: number
  bytes: number
}

async function change(name: string, retention: Retention, dry_run: boolean): Promise<Loss> {
  const answer = await call('PATCH /projects/:name', { params: { name }, body: { retention, dry_run } })
  if (!dry_run) writeResource<ProjectDetail>(detailKey(name), shown => ({ ...shown, retention }))
  return answer.deletes
}

export function RetentionCard({
  project,
  allowed,
}: {
  project: ProjectDetail
  allowed: boolean | undefined
}) {
  const { name, org, retention: stored } = project
  const [production, setProduction] = useState(String(stored.production_count ?? ''))
  const [previews, setPreviews] = useState(String(stored.preview_days ?? ''))
  const { busy, error, run } = useFormWork()
  const [loss, setLoss] = useState<Loss>()
  const wanted: Retention = { production_count: toNumber(production), preview_days: toNumber(previews) }
  const isChanged =
    wanted.production_count !== stored.production_count || wanted.preview_days !== stored.preview_days

  async function save() {
    await change(name, wanted, false)
    notify({ tone: 'ok', text: 'The retention was saved.' })
  }

  async function check() {
    const deletes = await change(name, wanted, true)
    if (deletes.deployments > 0) setLoss(deletes)
    else await save()
  }

  return (
    <Card
      title="Retention"
      lead="svc can delete old deployments for you. It always keeps the live deployment, deployments that a domain shows, and deployments whose server app is running."
    >
      <Form className={styles.form} onSubmit={() => run(check)}>
        {error && <Notice tone="error">{error}</Notice>}
        <div className={styles.fields}>
          <SelectField
            label="Former production deployments"
            name="production"
            disabled={!allowed}
            value={production}
            options={[all, ...choicesOf(counts, stored.production_count, value => `Keep the last ${value}`)]}
            onChoose={setProduction}
          />
          <SelectField
            label="Previews"
            name="previews"
            disabled={!allowed}
            value={previews}
            options={[
              all,
              ...choicesOf(lifetimes, stored.preview_days, value => `Keep for ${formatCount(value, 'day')}`),
            ]}
            onChoose={setPreviews}
          />
        </div>
        {allowed === false ? (
          <p className={styles.note}>Only admins and owners of {org} can change this.</p>
        ) : (
          <div>
            <Button type="submit" busy={busy} disabled={!allowed || !isChanged}>
              Save
            </Button>
          </div>
        )}
      </Form>
      {loss && (
        <ConfirmDialog
          title={`Delete ${formatCount(loss.deployments, 'deployment')}?`}
          action="Save and delete"
          keep="Cancel"
          run={save}
          onClose={() => setLoss(undefined)}
        >
          <p>
            This setting deletes {formatCount(loss.deployments, 'deployment')} ({formatBytes(loss.bytes)})
            now, with their permanent URLs. <strong>You can’t undo this.</strong> Later ones follow as they
            get old.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

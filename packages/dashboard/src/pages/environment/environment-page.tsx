// The environment variables of a project.
import type { EnvVar } from '@svc/contract'
import { useState } from 'react'
import { useParams } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { LoadFailure } from '../../components/trouble.tsx'
import { ProjectLayout } from '../project/project-layout.tsx'
import styles from './environment-page.module.css'
import { ImportDialog } from './import-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { VariableDialog } from './variable-dialog.tsx'
import { VariableRows } from './variable-rows.tsx'
import { useVariables } from './variables.ts'

export function EnvironmentPage() {
  const { name = '' } = useParams<{ name: string }>()
  return <ProjectLayout tab="Environment">{() => <Environment project={name} />}</ProjectLayout>
}

type Asking =
  | { to: 'add' }
  | { to: 'import' }
  | { to: 'edit'; variable: EnvVar }
  | { to: 'remove'; key: string }

function Environment({ project }: { project: string }) {
  const { data: variables, error, loading, refresh } = useVariables(project)
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)

  if (!variables && error !== undefined)
    return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
  if (!variables) return <SkeletonRows count={4} label="Loading variables" />
  return (
    <section aria-labelledby="variables">
      <header className={styles.header}>
        <div>
          <h2 id="variables" className={styles.title}>
            Environment variables
          </h2>
          <p className={styles.lead}>
            Encrypted at rest, and readable by everyone who works on this project.
          </p>
        </div>
        <div className={styles.actions}>
          <Button onClick={() => setAsking({ to: 'import' })}>Import .env</Button>
          <Button look="primary" icon="plus" onClick={() => setAsking({ to: 'add' })}>
            Add variable
          </Button>
        </div>
      </header>
      {variables.length === 0 && <None project={project} />}
      {variables.length > 0 && (
        <VariableRows
          variables={variables}
          onEdit={variable => setAsking({ to: 'edit', variable })}
          onRemove={key => setAsking({ to: 'remove', key })}
        />
      )}
      {(asking?.to === 'add' || asking?.to === 'edit') && (
        <VariableDialog
          project={project}
          known={variables}
          variable={asking.to === 'edit' ? asking.variable : undefined}
          onClose={close}
        />
      )}
      {asking?.to === 'import' && <ImportDialog project={project} known={variables} onClose={close} />}
      {asking?.to === 'remove' && <RemoveDialog project={project} variable={asking.key} onClose={close} />}
    </section>
  )
}

function None({ project }: { project: string }) {
  return (
    <div className={styles.none}>
      <p>No variables yet. Add one, paste a whole .env file, or set them from your terminal:</p>
      <Command>{`npx svc env set KEY=value --project ${project}`}</Command>
    </div>
  )
}

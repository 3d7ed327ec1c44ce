// The environment variables of a project.
import type { EnvVar } from '@svc/contract'
import { useState } from 'react'
import { useParams } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { LongList } from '../../components/long-list.tsx'
import { Section } from '../../components/section.tsx'
import { useAddInUrl } from '../../use-add-in-url.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
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
  | { to: 'remove'; variable: EnvVar }

function Environment({ project }: { project: string }) {
  const resource = useVariables(project)
  const [asking, setAsking] = useState<Asking>()
  useAddInUrl(() => setAsking({ to: 'add' }))
  const close = () => setAsking(undefined)
  return (
    <Section
      title="Environment variables"
      lead="Encrypted at rest, and readable by everyone who works on this project."
      actions={
        <>
          <Button onClick={() => setAsking({ to: 'import' })}>Import .env</Button>
          <Button look="primary" icon="plus" onClick={() => setAsking({ to: 'add' })}>
            Add variable
          </Button>
        </>
      }
    >
      <Loaded resource={resource} rows={4} label="Loading variables">
        {variables => (
          <>
            {variables.length === 0 && <None project={project} />}
            {variables.length > 0 && (
              <LongList rows={variables} noun="variable" textOf={({ key }) => key}>
                {shown => (
                  <VariableRows
                    variables={shown}
                    onEdit={variable => setAsking({ to: 'edit', variable })}
                    onRemove={variable => setAsking({ to: 'remove', variable })}
                  />
                )}
              </LongList>
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
            {asking?.to === 'remove' && (
              <RemoveDialog project={project} variable={asking.variable} onClose={close} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function None({ project }: { project: string }) {
  return (
    <Empty>
      <p>No variables yet. Add one, paste a whole .env file, or set them from your terminal:</p>
      <Command>{`svc env set KEY=value --project ${project}`}</Command>
    </Empty>
  )
}

// The version of Node.js of a project's builds and server apps. A choice is saved at once.
import type { ProjectNode } from '@svc/contract'
import { call, explain } from '../../../api.ts'
import { Card } from '../../../components/card.tsx'
import { Notice } from '../../../components/notice.tsx'
import { SelectField } from '../../../components/select.tsx'
import { notify } from '../../../components/toasts.tsx'
import { useResource, writeResource } from '../../../resource.ts'
import { useFormWork } from '../../../use-work.ts'
import styles from './retention-card.module.css'

const nodeKey = (name: string) => `node of ${name}`

/** The newest release of each line, the releases themselves, and the present choice if it is another. */
function choicesOf({ node, available, standard }: ProjectNode) {
  const lines = available.map(version => version.split('.')[0] ?? version)
  const versions = [...new Set([...lines, ...available, ...(node === null ? [] : [node])])]
  const own = standard === null ? '' : `, or ${standard}`
  return [
    { value: '', title: `What the project’s files ask for${own}` },
    ...versions.map(version => ({ value: version, title: /^\d+$/.test(version) ? `${version}.x` : version })),
  ]
}

export function NodeCard({ name }: { name: string }) {
  const { data, error } = useResource(
    nodeKey(name),
    () => call('GET /projects/:name/node', { params: { name } }),
    { project: name, topics: ['project'] },
  )
  const { busy, error: fault, run } = useFormWork()

  async function choose(node: string | null) {
    const saved = await call('PUT /projects/:name/node', { params: { name }, body: { node } })
    writeResource<ProjectNode>(nodeKey(name), () => saved)
    notify({ tone: 'ok', text: 'The next build or deploy uses this version of Node.js.' })
  }

  const problem = fault ?? (error && !data ? explain(error) : undefined)
  return (
    <Card
      title="Node.js"
      lead="The version for builds and server apps. svc.json, .nvmrc, .node-version and engines in package.json can ask for one, too; a choice made here counts before them."
    >
      <div className={styles.form}>
        {problem && <Notice tone="error">{problem}</Notice>}
        <div className={styles.fields}>
          <SelectField
            label="Node.js version"
            name="node"
            disabled={busy || !data}
            value={data?.node ?? ''}
            options={choicesOf(data ?? { node: null, standard: null, available: [] })}
            onChoose={value => run(() => choose(value === '' ? null : value))}
          />
        </div>
      </div>
    </Card>
  )
}

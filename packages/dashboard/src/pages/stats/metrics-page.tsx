// Memory, CPU, answer times, requests and errors of a project over time.
import type { ProjectDetail } from '@svc/contract'
import { SiteButton } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { ChartsSection, useChartRange } from './charts.tsx'
import { useCharts } from './data.ts'

export function MetricsPage() {
  return <ProjectLayout tab="Metrics">{project => <Metrics project={project} />}</ProjectLayout>
}

const ofApps = 'Memory and CPU are those of one instance of the app while it runs. Times are UTC.'
const ofFiles =
  'A site of files has requests and errors; a server app also memory, CPU and answer times. Times are UTC.'

function Metrics({ project }: { project: ProjectDetail }) {
  const range = useChartRange()
  const resource = useCharts(project.name, range.id)
  return (
    <ChartsSection
      lead={project.app ? ofApps : ofFiles}
      range={range}
      resource={resource}
      nothing={
        <Empty title={`Nothing happened in ${range.words}`}>
          {project.active_deployment_id ? (
            <>
              <p>
                A minute after the first request, its charts are here: requests, errors and, of a server app,
                memory, CPU and answer times.
              </p>
              <div>
                <SiteButton href={project.url}>Open site</SiteButton>
              </div>
            </>
          ) : (
            <>
              <p>Nothing is deployed yet. Once this project is live, its charts are here.</p>
              <Command>{`svc deploy --project ${project.name}`}</Command>
            </>
          )}
        </Empty>
      }
    />
  )
}

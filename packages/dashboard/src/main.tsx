// The arrival must stay the first import: it strips secrets from the URL before any other code runs.
import { onLaterArrival } from './arrival.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startClock } from './components/time-ago.tsx'
import { startTooltips } from './components/tooltips.ts'
import { keepFocus } from './focus-keeper.ts'
import { followLiveEvents } from './live.ts'
import { preloadPage } from './routes.ts'
import { followOtherTabs, openSession } from './session.ts'
import { start } from './start.ts'
import { guardUploads } from './upload/uploads.ts'

onLaterArrival(() => void openSession())
followOtherTabs()
guardUploads()
startClock()
startTooltips()
keepFocus()
followLiveEvents()
preloadPage(location.pathname)
void start()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)

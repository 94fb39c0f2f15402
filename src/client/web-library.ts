import { RELEASE } from '../version.ts'
import type { Library } from './library.ts'
import { clientScript, workerScript } from './web-scripts.ts'
import types from './web/index.d.ts.txt' with { type: 'text' }

export const webLibrary: Library = {
  tried: 'Tried in Chromium.',
  files: ({ server, app }) => ({
    'package.json': `${JSON.stringify(
      {
        name: 'bellhop-web',
        version: RELEASE,
        private: true,
        type: 'module',
        exports: { '.': { types: './index.d.ts', default: './index.js' }, './worker.js': './worker.js' },
      },
      null,
      2,
    )}\n`,
    'index.js': [
      "import { connect as connectTo } from './client.js'",
      '',
      `const place = { home: '${server}/', app: '${app}' }`,
      'export const connect = (options = {}) => connectTo({ ...place, ...options })',
      '',
    ].join('\n'),
    'index.d.ts': types,
    'client.js': clientScript(`web/${RELEASE}`),
    'worker.js': workerScript(`web/${RELEASE}`),
  }),
  use: (_, folder) => `Copy ${folder}/worker.js to your site as /sw.js. Then, in your page:

  import { connect } from './${folder}/index.js'

  const bellhop = connect()
  button.addEventListener('click', () => bellhop.register())
  if (Notification.permission === 'granted') bellhop.register()
`,
}

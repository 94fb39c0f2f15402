// Runs `bellhop demo` with data that stays, unless asked to stop after its first push.
const [, , ...argv] = process.argv
if (argv.includes('--help') || argv.includes('-h')) {
  process.stdout.write(
    './scripts/start runs bellhop demo, with data in ./bellhop-data/demo unless you pass --once or --data.\n\n',
  )
}
const staysAnyway = argv.some((word) => word === '--once' || word === '--data' || word.startsWith('--data='))
process.argv.splice(2, argv.length, 'demo', ...argv, ...(staysAnyway ? [] : ['--data', './bellhop-data/demo']))
await import('../src/main.ts')

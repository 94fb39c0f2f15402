declare module '*/client.js' {
  const text: string
  export default text
}
declare module '*/core.js' {
  const text: string
  export default text
}
declare module '*/keeper.js' {
  const text: string
  export default text
}
declare module '*/page.js' {
  const text: string
  export default text
}
declare module '*/worker.js' {
  const text: string
  export default text
}
declare module '*.css' {
  const text: string
  export default text
}

// A component that is shown once.
export const useRef = (current) => ({ current })
export const useEffect = (effect) => void effect()

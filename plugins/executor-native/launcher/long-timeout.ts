/** The longest time that a timer of Node can wait; longer ones would fire at once. */
const longest = 2 ** 31 - 1;

/** Calls back after that many milliseconds, be it months. @returns what takes it back. */
export function longTimeout(duration: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(() => (left > longest ? wait(left - longest) : callback()), Math.min(left, longest));
  };
  wait(duration);
  return () => clearTimeout(timer);
}

/** Status codes and ranges of them: `200`, `200-299,404`. */
export const statusList = /^[1-5]\d\d(?:-[1-5]\d\d)?(?:,[1-5]\d\d(?:-[1-5]\d\d)?)*$/;

/** Whether a status is one of those of a list. */
export function isExpected(status: number, list = '200-299'): boolean {
  return list.split(',').some((range) => {
    const [first = '', last = first] = range.split('-');
    return Number(first) <= status && status <= Number(last);
  });
}

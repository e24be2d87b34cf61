type Child = Node | string | null | undefined | false;

/** An element with properties, attributes (`aria-…`, `data-…`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: { [name: string]: any } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name in element) {
      (element as any)[name] = value;
    } else {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...(children.filter(Boolean) as (Node | string)[]));
  return element;
}

/** A text whose dotted names may be broken behind their dots. */
export function breakable(text: string): Child[] {
  return text.split(/(?<=\w\.)(?=\w)/).flatMap(part => [part, document.createElement('wbr')]);
}

/** "1 use", "2 uses". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

// Remembers a value between visits, where the browser allows it.
const prefix = 'interlock-lab.';

export function remembered<Value>(name: string, otherwise: Value): Value {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? otherwise : (JSON.parse(text) as Value);
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown) {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A browser that stores nothing still runs the lessons.
  }
}

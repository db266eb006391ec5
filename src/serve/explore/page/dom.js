// Makes elements from texts and values. Texts become text nodes and attributes, so that nothing in them is ever markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    } else if (name === "value" || name === "checked" || name === "disabled") {
      node[name] = value;
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element of HTML. `on` has listeners by event, `style` properties by name. */
export function element(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Replaces the children of a node. */
export function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Whether the focus on a node should be visible: the keyboard moved it there, not a click. */
export function isByKey(node) {
  return node.matches(":focus-visible");
}

let isHeld = false;
for (const [event, held] of Object.entries({ pointerdown: true, pointerup: false, pointercancel: false })) {
  document.addEventListener(event, () => { isHeld = held; }, true);
}

/** Waits until no pointer is held down: a button that is replaced between press and release gets no click. */
export async function released() {
  while (isHeld) await new Promise((done) => setTimeout(done, 20));
}

/** Handlers for a click, and for the keys that have the same effect. */
export function activation(act) {
  return {
    click: act,
    keydown: (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        act(event);
      }
    },
  };
}
